/**
 * What a stream's page has stored in its browser, as bytes that a browser of another machine goes on from: cookies, storage
 * and passwords, and no caches. All work has the rights of the profile's owner alone, who may put links there.
 */
import { dirname, join } from "node:path";
import { findBelow } from "../os/find.ts";
import { ProcessError, run } from "../os/process.ts";
import { openRegular } from "../os/regular_file.ts";
import { withRightsOf } from "../os/rights.ts";
import { commandAsOwner } from "../os/users.ts";

/** Bytes that it may take, and the number of its files. */
export const MAX_STORED_BYTES = 32 * 1024 * 1024;
const MAX_FILES = 10_000;
const [MAX_DEPTH, MAX_PATH_BYTES] = [16, 1024];
/** How often what a running browser writes meanwhile is read anew. */
const TRIES = 4;
/** Milliseconds to list or to remove what a page has stored, which may be folders without end. */
const LIMIT_MS = 15_000;

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
  let seen = await look(profile);
  let files: Kept[] = [];
  for (let tries = 1; tries <= TRIES; tries++) {
    files = withRightsOf(
      profile,
      (here) => seen.flatMap(({ path, size }) => readFile(here, path, size) ?? []),
    );
    const after = await look(profile);
    // a database and its journal are of one moment
    if (JSON.stringify(seen) === JSON.stringify(after)) break;
    seen = after;
  }
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
 * @throws {Error} for what `packProfile` has not made: then nothing was changed; and when the earlier files do not go.
 */
export async function unpackProfile(profile: string, packed: Uint8Array<ArrayBuffer>): Promise<void> {
  const files = filesOf(await inflated(packed));
  withRightsOf(profile, (here) => {
    const folder = join(here, "Default");
    if (!isFolder(folder)) removeFile(folder);
  });
  // by rm, which needs no stack for folders in each other
  const argv = await commandAsOwner(profile, ["/bin/rm", "-rf", "--one-file-system", "--", ...PLACES]);
  const options = { timeoutMs: LIMIT_MS, cwd: profile, clearEnv: true, maxOutput: 1024 * 1024 };
  const { code, stderr } = await run(argv, options);
  if (code !== 0) throw new Error(`what it had stored cannot be removed: ${stderr.trim().split("\n")[0]}`);
  withRightsOf(profile, (here) => {
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
  changedAt: string;
}

/** Tests of find: regular files in the places alone, but none in their caches. */
const FILES_OF_PLACES = [
  ...["-maxdepth", String(MAX_DEPTH + 2), "-regextype", "posix-extended"],
  ...[
    "!",
    "-regex",
    `\\.(/Default(/(${PLACES.map((place) => place.slice(8)).join("|")})(/.*)?)?)?`,
    "-prune",
  ],
  ...["-o", "(", ...CACHES.flatMap((name, at) => [...at > 0 ? ["-o"] : [], "-name", name]), ")", "-prune"],
  ...["-o", "-type", "f"],
];

/** The regular files there, in an order that has a database before its journal. @throws {TooMuchStoredError | Error} */
async function look(profile: string): Promise<Seen[]> {
  // the list has a limit; folders without files are in no list, and have that of time
  const limits = { maxList: MAX_FILES * (MAX_PATH_BYTES + 64), timeoutMs: LIMIT_MS };
  const lines = await findBelow(profile, FILES_OF_PLACES, limits, "%s %T@ %P").catch((error) => {
    throw error instanceof ProcessError ? new TooMuchStoredError() : error;
  });
  const found = lines.map((line) => {
    const [, size, changedAt, path] = /^(\d+) (\S+) ([^]*)$/.exec(line)!;
    return { path, size: Number(size), changedAt };
  });
  const bytes = found.reduce((all, { size }) => all + size, 0);
  if (bytes > MAX_STORED_BYTES || found.length > MAX_FILES) throw new TooMuchStoredError();
  return found.sort((one, other) => one.path < other.path ? -1 : 1);
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

function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

function removeFile(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
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
