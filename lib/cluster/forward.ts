/** One request that goes to another node, and the answer that comes back: which requests these are, and their limits. */
import { PASS_HEADER, type PassedOn, type Passes, TAKEOVER_PATH } from "../door/access/pass.ts";
import { isStreamId, type StreamId } from "../model/id.ts";
import { errorText, log } from "../machine/tools/log.ts";
import { errorResponse } from "../door/errors.ts";
import type { Admitted } from "../door/gate.ts";
import { bodyOf } from "../door/proxy.ts";
import { askUpstream, type UpstreamAnswer } from "../door/upstream.ts";
import type { KnownNode } from "./view.ts";

/** Requests for a stream's channel. */
const OF_A_CHANNEL = [
  ...[/^\/api\/hls\/live\/([^/]+)\//, /^\/api\/ts\/([^/]+)$/, /^\/hdhr\/tune\/([^/]+)$/],
];
/** Requests about a stream's programs. Each node itself answers for the stream's record in the list, and for its VNC token. */
const OF_PROGRAMS = [/^\/api\/streams\/([^/]+)\/(?!$|vnc$)/, /^\/streams\/([^/]+)\/log$/];

/** Milliseconds until another node answers a request that reads, and one that changes something: a restart takes some seconds. */
export const READ_MS = 5000;
const CHANGE_MS = 30_000;
/** Milliseconds of silence after which an answer has ended: the other node may be gone without a word. */
const SILENT_MS = 20_000;
/** Milliseconds between two looks whether a client would still be let in. */
const LOOK_MS = 1000;

/** Headers of one connection alone, and credentials, which this node's gate has judged. */
const NOT_PASSED = [
  ...[
    "host",
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "proxy-authorization",
  ],
  ...["cookie", "authorization", "forwarded", "origin", "expect", PASS_HEADER],
];
const NOT_PASSED_BACK = ["connection", "keep-alive", "transfer-encoding", "set-cookie", "content-encoding"];

/** The stream that a request is about, if its node has to answer; null: each node answers by itself. */
export function streamOf(rawPath: string): { id: StreamId; isChannel: boolean } | null {
  for (const path of [...OF_A_CHANNEL, ...OF_PROGRAMS]) {
    const id = path.exec(rawPath)?.[1];
    if (id !== undefined && isStreamId(id)) return { id, isChannel: OF_A_CHANNEL.includes(path) };
  }
  return null;
}

/** The path of a takeover that is passed on. */
const TAKEOVER = new RegExp(`^/api/streams/([^/]+)${TAKEOVER_PATH}$`);

/** The stream whose browser another node's client takes over; null: the request is another. */
export function takenOver(path: string, { isPassedOn }: Pick<Admitted, "isPassedOn">): StreamId | null {
  const id = isPassedOn ? TAKEOVER.exec(path)?.[1] : undefined;
  return id !== undefined && isStreamId(id) ? id : null;
}

/** The path of a takeover at the stream's node. */
export function takeoverPath(id: StreamId): string {
  return `/api/streams/${id}${TAKEOVER_PATH}`;
}

/** The client of a request. */
interface Client extends Pick<Admitted, "holds"> {
  /** Is called when nothing is under way for the client any more, once or more often. */
  ended?(): void;
}

/** The other node's answer; 502 when the node gives none in time. @param path of the request, without an access token. */
export async function forward(
  request: Request,
  path: string,
  { name, address }: Pick<KnownNode, "name" | "address">,
  passes: Passes,
  found: PassedOn,
  client: Client,
  ask: typeof fetch,
): Promise<Response> {
  const { search } = new URL(request.url);
  const headers = new Headers(request.headers);
  for (const header of NOT_PASSED) headers.delete(header);
  headers.set(PASS_HEADER, passes.make(name, request.method, path + search, found));
  const { method, body, signal } = request;
  const abort = new AbortController();
  signal.addEventListener("abort", () => abort.abort(), { once: true });
  const answerMs = method === "GET" || method === "HEAD" ? READ_MS : CHANGE_MS;
  const { ended = () => {} } = client;
  try {
    const answer = await askUpstream(
      address + path + search,
      { method, headers, body, ask, abort },
      { answerMs, idleMs: SILENT_MS },
    );
    const back = new Headers(answer.headers);
    for (const header of NOT_PASSED_BACK) back.delete(header);
    const { status } = answer;
    const parts = bodyOf(method, { status, ...endingWith(ended, client, answer) });
    if (!parts) ended();
    return new Response(parts, { status, headers: back });
  } catch (error) {
    ended();
    return noAnswer(name, errorText(error));
  }
}

/** The answer where another node gives none. */
export function noAnswer(node: string, error: string): Response {
  log("debug", "another node gave no answer", { node, error });
  const response = errorResponse(
    502,
    `The node ${node}, which has this stream, does not answer. Try again in a moment.`,
  );
  response.headers.set("retry-after", "2");
  return response;
}

/** The same answer, which calls `ended` at its end: when it is whole, broken off, or left by its client. */
function endingWith(
  ended: () => void,
  client: Client,
  answer: UpstreamAnswer,
): Pick<UpstreamAnswer, "read" | "cancel"> {
  const next = readingWhile(client, answer);
  return {
    read: async () => {
      let part: Uint8Array | null = null;
      try {
        return part = await next();
      } finally {
        if (!part) ended();
      }
    },
    cancel: () => {
      answer.cancel();
      ended();
    },
  };
}

/** Reads an answer for as long as its client would be let in again. */
function readingWhile(client: Client, { read, cancel }: UpstreamAnswer): UpstreamAnswer["read"] {
  let lookedAt = performance.now();
  let isLetIn = true;
  const look = () => {
    lookedAt = performance.now();
    isLetIn = client.holds();
    if (!isLetIn) cancel();
  };
  return async () => {
    if (performance.now() - lookedAt >= LOOK_MS) look();
    // the other node may be silent for long
    const looks = setInterval(look, LOOK_MS);
    try {
      return await read();
    } catch (error) {
      // a client that is not let in any more sees a plain end, as this node's own answers have
      if (isLetIn) throw error;
      return null;
    } finally {
      clearInterval(looks);
    }
  };
}
