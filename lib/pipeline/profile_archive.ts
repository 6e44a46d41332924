/**
 * What a stream's page has stored in its browser, as bytes that a browser of another machine goes on from: cookies, storage
 * and passwords, and no caches. All work has the rights of the profile's owner alone, who may put links there.
 */
import { dirname, join } from "node:path";
import { openRegular } from "../os/regular_file.ts";
import { withRightsOf } from "../os/rights.ts";

/** Bytes that it may take, and the number of its files. */
export const MAX_STORED_BYTES = 32 * 1024 * 1024;
const MAX_FILES = 10_000;
const [MAX_DEPTH, MAX_PATH_BYTES] = [16, 1024];
/** How often what a running browser writes meanwhile is read anew. */
const TRIES = 4;

/** Where Chromium has what a page knows of its visitor. */
const PLACES = [
  ...["Cookies", "Cookies-journal", "Network", "Login Data", "Login Data-journal"],
  ...["Local Storage", "Session Storage", "IndexedDB", "WebStorage", "Local Extension Settings"],
].map((name) => `Default/${name}`);
/** Folders in them that are filled again by themselves. */
const CACHES = ["CacheStorage", "ScriptCache"];

/** A page has stored more than is kept for other machines. */
export class TooMuchStoredError extends Error {
  override name = "TooMuchStoredError";
  constructor() {
    super(
      `its page has stored more than ${
        MAX_STORED_BYTES / 1024 / 1024
      } MiB, or in more than ${MAX_FILES} files`,
    );
  }
}

interface Kept {
  path: string;
  bytes: Uint8Array;
}

/** The stored files of a profile, compressed. A running browser may go on. @throws {TooMuchStoredError | Error} */
export async function packProfile(profile: string): Promise<Uint8Array<ArrayBuffer>> {
  const files = withRightsOf(profile, (here) => {
    let before = look(here);
    for (let tries = 1;; tries++) {
      const read = before.map(({ path, size }) => readFile(here, path, size)).filter((one) => one !== null);
      const after = look(here);
      // a database and its journal are of one moment
      if (tries === TRIES || JSON.stringify(before) === JSON.stringify(after)) return read;
      before = after;
    }
  });
  const pieces = files.flatMap(({ path, bytes }) => {
    const name = new TextEncoder().encode(path);
    const head = new DataView(new ArrayBuffer(6));
    head.setUint16(0, name.length);
    head.setUint32(2, bytes.length);
    return [new Uint8Array(head.buffer), name, bytes];
  });
  const all = new Blob(pieces as Uint8Array<ArrayBuffer>[]).stream();
  return await new Response(all.pipeThrough(new CompressionStream("gzip"))).bytes();
}

/**
 * Puts stored files in the place of those of a profile, whose browser is stopped.
 * @throws {Error} for what `packProfile` has not made; then nothing was changed.
 */
export async function unpackProfile(profile: string, packed: Uint8Array<ArrayBuffer>): Promise<void> {
  const files = filesOf(await inflated(packed));
  withRightsOf(profile, (here) => {
    const folder = join(here, "Default");
    if (kindOf(folder) !== "folder") removeAny(folder);
    for (const place of PLACES) removeAny(join(here, place));
    for (const { path, bytes } of files) {
      const target = join(here, path);
      Deno.mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      using file = Deno.openSync(target, { write: true, createNew: true, mode: 0o600 });
      for (let written = 0; written < bytes.length;) written += file.writeSync(bytes.subarray(written));
    }
  });
}

interface Seen {
  path: string;
  size: number;
  changedAt: number;
}

/** The regular files there, in an order that has a database before its journal. @throws {TooMuchStoredError} */
function look(here: string): Seen[] {
  const found: Seen[] = [];
  let bytes = 0;
  const visit = (path: string, depth: number) => {
    const info = infoOf(join(here, path));
    if (info?.isFile) {
      bytes += info.size;
      found.push({ path, size: info.size, changedAt: info.mtime?.getTime() ?? 0 });
      if (bytes > MAX_STORED_BYTES || found.length > MAX_FILES) throw new TooMuchStoredError();
    }
    if (!info?.isDirectory || depth === MAX_DEPTH) return;
    for (const name of namesIn(join(here, path))) {
      if (!CACHES.includes(name)) visit(`${path}/${name}`, depth + 1);
    }
  };
  if (kindOf(join(here, "Default")) === "folder") { for (const place of PLACES) visit(place, 0); }
  return found;
}

function namesIn(folder: string): string[] {
  try {
    return Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** A file as it was seen; null: there is none any more. */
function readFile(here: string, path: string, size: number): Kept | null {
  using file = openRegular(join(here, path));
  if (!file) return null;
  const bytes = new Uint8Array(size);
  let length = 0;
  for (let read = 1; read > 0 && length < size; length += read) {
    read = file.readSync(bytes.subarray(length)) ?? 0;
  }
  return { path, bytes: bytes.subarray(0, length) };
}

function infoOf(path: string): Deno.FileInfo | null {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

function kindOf(path: string): "folder" | "other" | null {
  const info = infoOf(path);
  return info && (info.isDirectory ? "folder" : "other");
}

function removeAny(path: string): void {
  if (infoOf(path)) Deno.removeSync(path, { recursive: true });
}

const isGone = (error: unknown) =>
  error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;

/** @throws {Error} when there is more than a profile may have. */
async function inflated(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const most = MAX_STORED_BYTES + MAX_FILES * (MAX_PATH_BYTES + 6);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const whole = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  for await (const part of whole) {
    size += part.length;
    if (size > most) throw new TooMuchStoredError();
    parts.push(part);
  }
  return await new Blob(parts).bytes();
}

/** @throws {Error} */
function filesOf(all: Uint8Array): Kept[] {
  const view = new DataView(all.buffer, all.byteOffset, all.length);
  const files: Kept[] = [];
  let at = 0;
  const take = (length: number) => {
    if (at + length > all.length) throw new Error("what was stored ends early");
    at += length;
    return all.subarray(at - length, at);
  };
  while (at < all.length) {
    const head = at;
    take(6);
    const path = new TextDecoder().decode(take(view.getUint16(head)));
    const isPlace = PLACES.some((place) => path === place || path.startsWith(`${place}/`));
    const isPlain = path.split("/").every((name) => !["", ".", ".."].includes(name)) && !path.includes("\0");
    if (!isPlace || !isPlain) throw new Error(`${JSON.stringify(path)} is no place of what a page stores`);
    files.push({ path, bytes: take(view.getUint32(head + 2)) });
    if (files.length > MAX_FILES) throw new TooMuchStoredError();
  }
  return files;
}
