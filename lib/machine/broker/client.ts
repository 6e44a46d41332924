/** The web app's side of the broker's socket. */
import type { StreamId } from "../../model/id.ts";
import { MAX_STORED_BYTES } from "../../browser/profile_archive.ts";
import { MAX_PICTURE_BYTES } from "../../display/screen_grabs.ts";
import { ProcessError } from "../os/process.ts";
import { withTimeout } from "../tools/time.ts";
import { writeAll } from "../tools/write_all.ts";
import { type Broker, MAX_LINE_BYTES, type Request, requestLine } from "./protocol.ts";
import { parseRepairs } from "./repairs.ts";

/** Milliseconds: a profile of some GB may have to be removed. */
const TIMEOUT_MS = 60_000;

/** Bytes of an answer at most: a picture, or a page's stored data, and the line before it. */
const MAX_ANSWER_BYTES = Math.max(MAX_PICTURE_BYTES, MAX_STORED_BYTES) + MAX_LINE_BYTES;

/** The broker behind a socket. A call throws when the broker cannot do its work, or does not answer. */
export function brokerAt(path: string): Broker {
  const ask = (request: Request, signal?: AbortSignal, body?: Uint8Array<ArrayBuffer>) =>
    withTimeout(TIMEOUT_MS, askOnce(path, request, signal, body));
  const tell = async (
    action: "release" | "reset" | "disown" | "remove" | "mute" | "unmute",
    id: StreamId,
  ) => {
    await ask({ do: action, id });
  };
  return {
    prepare: async (id, needs) => (await ask({ do: "prepare", id, needs })).words === "ok new",
    release: (id) => tell("release", id),
    reset: (id) => tell("reset", id),
    disown: (id) => tell("disown", id),
    remove: (id) => tell("remove", id),
    mute: (id) => tell("mute", id),
    unmute: (id) => tell("unmute", id),
    measure: async (id) => Number((await ask({ do: "measure", id })).words.slice("ok ".length)),
    pack: async (id) => (await ask({ do: "pack", id })).bytes,
    unpack: async (id, packed) =>
      void await ask({ do: "unpack", id, size: packed.length }, undefined, packed),
    hasSound: async (id) => (await ask({ do: "hasSound", id })).words === "ok yes",
    repairs: async (after) =>
      parseRepairs(new TextDecoder().decode((await ask({ do: "repairs", after })).bytes)),
    capture: async (id, resolution, kind, signal) =>
      (await ask({ do: "capture", id, resolution, kind }, signal)).bytes,
    watch: (id, resolution, fps, signal) => watchOnce(path, { do: "watch", id, resolution, fps }, signal),
  };
}

async function askOnce(
  path: string,
  request: Request,
  signal?: AbortSignal,
  body = new Uint8Array(),
): Promise<{ words: string; bytes: Uint8Array<ArrayBuffer> }> {
  if (signal?.aborted) throw new ProcessError("cancelled");
  const connection = await Deno.connect({ transport: "unix", path });
  let isClosed = false;
  const close = () => {
    if (!isClosed) connection.close();
    isClosed = true;
  };
  signal?.addEventListener("abort", close, { once: true });
  try {
    await writeAll(connection, new TextEncoder().encode(requestLine(request)));
    await writeAll(connection, body);
    const answer = await readAnswer(connection);
    const end = answer.subarray(0, MAX_LINE_BYTES).indexOf(0x0a);
    const words = new TextDecoder().decode(answer.subarray(0, Math.max(0, end)));
    if (words.startsWith("error ")) throw new ProcessError(words.slice("error ".length));
    if (!words.startsWith("ok")) throw new ProcessError(`${requestLine(request).trim()}: no answer`);
    return { words, bytes: answer.slice(end + 1) };
  } catch (error) {
    throw signal?.aborted ? new ProcessError("cancelled") : error;
  } finally {
    signal?.removeEventListener("abort", close);
    close();
  }
}

/** The bytes behind the answer's line as they come, until the signal aborts. @throws {ProcessError} */
async function* watchOnce(
  path: string,
  request: Request,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (signal.aborted) return;
  const connection = await Deno.connect({ transport: "unix", path });
  let isOpen = true;
  const leave = () => {
    if (isOpen) connection.close();
    isOpen = false;
  };
  signal.addEventListener("abort", leave, { once: true });
  try {
    await writeAll(connection, new TextEncoder().encode(requestLine(request)));
    let line: string | null = "";
    while (true) {
      const part = new Uint8Array(64 * 1024);
      const length = await connection.read(part);
      if (length === null) return;
      const bytes = part.subarray(0, length);
      if (line === null) {
        yield bytes;
        continue;
      }
      const end = bytes.indexOf(0x0a);
      line += new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
      if (line.startsWith("error ")) throw new ProcessError(line.slice("error ".length));
      if (line.length > MAX_LINE_BYTES) throw new ProcessError(`${requestLine(request).trim()}: no answer`);
      if (end < 0) continue;
      line = null;
      if (end + 1 < length) yield bytes.subarray(end + 1);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", leave);
    leave();
  }
}

async function readAnswer(connection: Deno.Conn): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  while (true) {
    const part = new Uint8Array(64 * 1024);
    const length = await connection.read(part);
    if (length === null) return await new Blob(parts).bytes();
    size += length;
    if (size > MAX_ANSWER_BYTES) throw new ProcessError("the answer is too long");
    parts.push(part.subarray(0, length));
  }
}
