/** The broker's side of the socket, in `up`. */
import type { Identity } from "../os/exec.ts";
import { giveTo, removeTree } from "../os/files.ts";
import { closeAnyway } from "../tools/close.ts";
import { Semaphore } from "../tools/concurrency.ts";
import { errorText, logRarely } from "../tools/log.ts";
import { withTimeout } from "../tools/time.ts";
import { writeAll } from "../tools/write_all.ts";
import { type Broker, MAX_LINE_BYTES, MAX_REQUEST_BYTES, parseRequest, type Request } from "./protocol.ts";
import { repairLines } from "./repairs.ts";

/** Milliseconds until a request must be there, the bytes that follow it, and until a part of the answer is taken. */
const [REQUEST_MS, BODY_MS, TAKEN_MS] = [2000, 20_000, 20_000];

/** Requests at once: more than the web app ever has. */
const MAX_CONNECTIONS = 200;

/** Answers that memory holds at once: packed data of pages, of up to 32 MiB each, and pictures, of up to 32 MiB each. */
const [PROFILES_AT_ONCE, PICTURES_AT_ONCE] = [2, 8];
/** Questions at once for which we start a program. */
const QUESTIONS_AT_ONCE = 8;

interface Answer {
  words: string;
  /** The bytes that follow the line, as they come. */
  bytes?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Answers requests until it is stopped. @param asker the only user, besides root, who can connect. */
export async function listenForRequests(
  path: string,
  asker: Identity,
  broker: Broker,
): Promise<BrokerServer> {
  await removeTree(path);
  const listener = Deno.listen({ transport: "unix", path });
  await Deno.chmod(path, 0o600);
  await giveTo(asker, path);
  return new BrokerServer(listener, broker);
}

export class BrokerServer {
  #listener: Deno.UnixListener;
  #broker: Broker;
  #open = new Map<Deno.UnixConn, Promise<void>>();
  #accepting: Promise<void>;
  /** Until an answer has been taken. */
  #turns: Partial<Record<Request["do"], Semaphore>>;
  /** Aborts what would go on for ever. */
  #stopping = new AbortController();

  constructor(listener: Deno.UnixListener, broker: Broker) {
    this.#listener = listener;
    this.#broker = broker;
    const profiles = new Semaphore(PROFILES_AT_ONCE);
    const questions = new Semaphore(QUESTIONS_AT_ONCE);
    this.#turns = {
      pack: profiles,
      unpack: profiles,
      capture: new Semaphore(PICTURES_AT_ONCE),
      measure: questions,
      hasSound: questions,
      mute: questions,
      unmute: questions,
    };
    this.#accepting = this.#accept();
  }

  /** Refuses new requests; resolves when the open requests have ended. */
  async stop(): Promise<void> {
    this.#listener.close();
    this.#stopping.abort();
    await this.#accepting;
    await Promise.all(this.#open.values());
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#listener) {
      if (this.#open.size >= MAX_CONNECTIONS) {
        connection.close();
        continue;
      }
      const done = this.#answer(connection).catch(() => {}).finally(() => {
        this.#open.delete(connection);
        closeAnyway(connection);
      });
      this.#open.set(connection, done);
    }
  }

  async #answer(connection: Deno.UnixConn): Promise<void> {
    const { line, more } = await withTimeout(REQUEST_MS, readRequest(connection));
    const request = parseRequest(line);
    const answer = () => this.#answerTo(connection, request, more);
    const turns = request && this.#turns[request.do];
    // the bytes behind the line wait in the socket
    await (turns ? turns.run(answer) : answer());
  }

  async #answerTo(connection: Deno.UnixConn, request: Request | null, more: Uint8Array): Promise<void> {
    const size = request?.do === "unpack" ? request.size : 0;
    const body = await withTimeout(BODY_MS, readBody(connection, more, size));
    const left = new AbortController();
    // the web app sends nothing more: this read ends when the web app has gone
    connection.read(new Uint8Array(1)).catch(() => null).then(() => left.abort());
    let isBegun = false;
    try {
      const { words, bytes = [] } = await this.#carryOut(request, body, left.signal);
      isBegun = true;
      await taken(connection, new TextEncoder().encode(`${words}\n`));
      for await (const part of bytes) await taken(connection, part);
    } catch (error) {
      if (left.signal.aborted || isBegun) return;
      const reason = errorText(error).replace(/\s+/g, " ").slice(0, MAX_LINE_BYTES - 10);
      await taken(connection, new TextEncoder().encode(`error ${reason}\n`));
    } finally {
      await connection.closeWrite().catch(() => {});
    }
  }

  async #carryOut(
    request: Request | null,
    body: Uint8Array<ArrayBuffer>,
    left: AbortSignal,
  ): Promise<Answer> {
    if (!request) {
      logRarely("warn", "the web app made a request that the broker does not know");
      throw new Error("there is no such request");
    }
    if (request.do === "capture") {
      const { id, resolution, kind } = request;
      return { words: "ok", bytes: [await this.#broker.capture(id, resolution, kind, left)] };
    }
    if (request.do === "watch") {
      const { id, resolution, fps } = request;
      const ending = AbortSignal.any([left, this.#stopping.signal]);
      return { words: "ok", bytes: await begun(this.#broker.watch(id, resolution, fps, ending)) };
    }
    if (request.do === "pack") return { words: "ok", bytes: [await this.#broker.pack(request.id)] };
    if (request.do === "unpack") {
      await this.#broker.unpack(request.id, body);
      return { words: "ok" };
    }
    if (request.do === "prepare") {
      return { words: await this.#broker.prepare(request.id, request.needs) ? "ok new" : "ok" };
    }
    if (request.do === "hasSound") {
      return { words: await this.#broker.hasSound(request.id) ? "ok yes" : "ok no" };
    }
    if (request.do === "repairs") {
      const lines = repairLines(await this.#broker.repairs(request.after));
      return { words: "ok", bytes: [new TextEncoder().encode(lines)] };
    }
    if (request.do === "measure") return { words: `ok ${await this.#broker.measure(request.id)}` };
    await this.#broker[request.do](request.id);
    return { words: "ok" };
  }
}

/** Writes a part of an answer, which we hold until the web app has it. @throws {Error} when it takes too long. */
async function taken(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  try {
    await withTimeout(TAKEN_MS, writeAll(connection, bytes));
  } catch (error) {
    // else what ends the connection in order would wait for that write
    closeAnyway(connection);
    throw error;
  }
}

/** The same bytes, when the first are there: what fails before is an error and no answer. */
async function begun(bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    try {
      for (let part = first; !part.done; part = await iterator.next()) yield part.value;
    } finally {
      await iterator.return?.();
    }
  })();
}

/** The request's line, and the bytes that came after it. */
async function readRequest(connection: Deno.Conn): Promise<{ line: string; more: Uint8Array }> {
  const bytes = new Uint8Array(MAX_REQUEST_BYTES);
  for (let length = 0; length < bytes.length;) {
    const read = await connection.read(bytes.subarray(length));
    if (read === null) throw new Error("the request ended early");
    length += read;
    const end = bytes.subarray(0, length).indexOf(0x0a);
    if (end < 0) continue;
    return { line: new TextDecoder().decode(bytes.subarray(0, end)), more: bytes.subarray(end + 1, length) };
  }
  throw new Error("the request is too long");
}

/** So many bytes after the line. @param first the bytes that have come already. */
async function readBody(
  connection: Deno.Conn,
  first: Uint8Array,
  size: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (first.length > size) throw new Error("the request is too long");
  const body = new Uint8Array(size);
  body.set(first);
  for (let length = first.length; length < size;) {
    const read = await connection.read(body.subarray(length));
    if (read === null) throw new Error("the request ended early");
    length += read;
  }
  return body;
}
