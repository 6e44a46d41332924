/**
 * The stored data of a stream's page as bytes, for a browser on another machine: cookies, storage and passwords, without
 * caches. Memory holds only the packed bytes. All work has the rights of the profile's owner alone, who may put links there.
 */
import { dirname, join } from "node:path";
import { findBelow } from "../machine/os/find.ts";
import { ProcessError, run } from "../machine/os/process.ts";
import { openRegular } from "../machine/os/regular_file.ts";
import { withRightsOf } from "../machine/os/rights.ts";
import { commandAsOwner } from "../machine/os/users.ts";
import { inflated } from "../machine/tools/inflated.ts";

/** Bytes that it may take, and the number of its files. */
export const MAX_STORED_BYTES = 32 * 1024 * 1024;
const MAX_FILES = 10_000;
const [MAX_DEPTH, MAX_PATH_BYTES] = [16, 1024];
/** Bytes before a path: the path's length, and the file's length. */
const HEAD_BYTES = 6;
/** Bytes that are read of a file at once. */
const PART_BYTES = 64 * 1024;
/** How often the files are read anew because a running browser has written meanwhile. */
const TRIES = 4;
/** Milliseconds to list or to remove a page's stored data, which may be folders without end. */
const LIMIT_MS = 15_000;

/** The places where Chromium keeps a page's stored data. */
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

/** The stored files of a profile, compressed. A running browser may go on. @throws {TooMuchStoredError | Error} */
export async function packProfile(profile: string): Promise<Uint8Array<ArrayBuffer>> {
  let seen = await look(profile);
  for (let tries = 1;; tries++) {
    const pieces = ReadableStream.from(piecesOf(profile, seen));
    const packed = await new Response(pieces.pipeThrough(new CompressionStream("gzip"))).bytes();
    const after = await look(profile);
    // a database and its journal are of one moment
    if (tries === TRIES || JSON.stringify(seen) === JSON.stringify(after)) return packed;
    seen = after;
  }
}

/** The pieces to compress: each file's head, path and bytes. */
function* piecesOf(profile: string, seen: readonly Seen[]): Generator<Uint8Array<ArrayBuffer>> {
  for (const { path, size } of seen) {
    using file = withRightsOf(profile, (here) => openRegular(join(here, path)));
    if (!file) continue; // it has gone meanwhile
    const name = new TextEncoder().encode(path);
    const head = new DataView(new ArrayBuffer(HEAD_BYTES));
    head.setUint16(0, name.length);
    head.setUint32(2, size);
    yield new Uint8Array(head.buffer);
    yield name;
    for (let left = size; left > 0;) {
      const part = new Uint8Array(Math.min(left, PART_BYTES));
      // of one that was cut meanwhile the rest are zeros, and all is read anew
      file.readSync(part);
      left -= part.length;
      yield part;
    }
  }
}

/**
 * Replaces the stored files of a profile, whose browser is stopped.
 * @throws {Error} for bytes that `packProfile` has not made, with nothing changed, and when the earlier files cannot be
 * removed.
 */
export async function unpackProfile(profile: string, packed: Uint8Array<ArrayBuffer>): Promise<void> {
  for await (const _ of filesIn(packed));
  withRightsOf(profile, (here) => {
    const folder = join(here, "Default");
    if (!isFolder(folder)) removeFile(folder);
  });
  // by rm, which needs no stack for folders in each other
  const argv = await commandAsOwner(profile, ["/bin/rm", "-rf", "--one-file-system", "--", ...PLACES]);
  const options = { timeoutMs: LIMIT_MS, cwd: profile, clearEnv: true, maxOutput: 1024 * 1024 };
  const { code, stderr } = await run(argv, options);
  if (code !== 0) {
    throw new Error(`the stored data of the page cannot be removed: ${stderr.trim().split("\n")[0]}`);
  }
  let file: Deno.FsFile | null = null;
  try {
    for await (const { path, bytes } of filesIn(packed)) {
      if (path !== null) {
        file?.close();
        file = null;
        file = withRightsOf(profile, (here) => newFile(join(here, path)));
      }
      for (let written = 0; written < bytes.length;) written += file!.writeSync(bytes.subarray(written));
    }
  } finally {
    file?.close();
  }
}

function newFile(path: string): Deno.FsFile {
  Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
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
  // the list has a limit of bytes; folders without files are not in the list, and the limit of time ends them
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

/** A part of a file; the first one of each has its path. */
export interface StoredPart {
  path: string | null;
  bytes: Uint8Array;
}

/** The files that are packed, part by part. @throws {Error} for what `packProfile` has not made, before it is there. */
export async function* filesIn(packed: Uint8Array<ArrayBuffer>): AsyncGenerator<StoredPart> {
  const paths = new Paths();
  let head = new Uint8Array();
  let left = 0, bytes = 0;
  for await (let part of inflated(packed, "gzip")) {
    while (part.length > 0) {
      if (left > 0) {
        const own = part.subarray(0, left);
        [left, part] = [left - own.length, part.subarray(own.length)];
        yield { path: null, bytes: own };
        continue;
      }
      const length = headLength(head);
      const more = part.subarray(0, length - head.length);
      [head, part] = [joined(head, more), part.subarray(more.length)];
      if (head.length < headLength(head)) continue;
      left = new DataView(head.buffer).getUint32(2);
      bytes += left;
      if (bytes > MAX_STORED_BYTES) throw new TooMuchStoredError();
      const path = new TextDecoder().decode(head.subarray(HEAD_BYTES));
      paths.add(path);
      head = new Uint8Array();
      yield { path, bytes: new Uint8Array() };
    }
  }
  if (head.length > 0 || left > 0) throw new Error("the archive ends early");
}

/** Bytes of a head with its path, as far as it says how many. @throws {Error} for a path that is too long. */
function headLength(head: Uint8Array<ArrayBuffer>): number {
  if (head.length < HEAD_BYTES) return HEAD_BYTES;
  const length = new DataView(head.buffer).getUint16(0);
  if (length === 0 || length > MAX_PATH_BYTES) {
    throw new Error(`a path of ${length} bytes does not belong to a page's stored data`);
  }
  return HEAD_BYTES + length;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}

/** The paths so far: each is one of a file, once, and of no folder. */
class Paths {
  #files = new Set<string>();
  #folders = new Set<string>();

  /** @throws {Error} for a path that cannot be beside the others. */
  add(path: string): void {
    const names = path.split("/");
    const isPlace = PLACES.some((place) => path === place || path.startsWith(`${place}/`));
    const isPlain = names.every((name) => !["", ".", ".."].includes(name)) && !path.includes("\0");
    const above = names.slice(1).map((_, at) => names.slice(0, at + 1).join("/"));
    const isNew = !this.#files.has(path) && !this.#folders.has(path) &&
      !above.some((folder) => this.#files.has(folder));
    if (!isPlace || !isPlain || !isNew || names.length > MAX_DEPTH + 2) {
      throw new Error(`${JSON.stringify(path)} does not belong to a page's stored data`);
    }
    this.#files.add(path);
    for (const folder of above) this.#folders.add(folder);
    if (this.#files.size > MAX_FILES) throw new TooMuchStoredError();
  }
}
