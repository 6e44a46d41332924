/** The channels for viewers: the media server's playlists and segments, each asked for once for all viewers. */
import { namesTag, wantedRange } from "../http/conditional.ts";
import { proxy } from "../http/proxy.ts";
import type { StreamId } from "../model/id.ts";
import { log } from "../system/log.ts";
import { channelOf, channelOfFile, hlsPath, SEED_BYTES } from "./hls.ts";
import type { HlsAnswer, HlsCache, HlsFile } from "./hls_cache.ts";
import {
  failed,
  fileHeaders,
  hlsCacheControl,
  isPageOfThisMachine,
  preflight,
  readableByAll,
} from "./hls_headers.ts";
import { LAST, type LastLists } from "./last_lists.ts";
import { awaitedSegment, type PlaylistWait, WAITS, withWaiting } from "./playlist_wait.ts";

export interface HlsListeners {
  /** Takes each viewer's request for a channel's playlist, before it is answered. */
  onask(id: StreamId): void;
  /** Takes each request for a channel's playlist that was answered. */
  onviewer(id: StreamId, request: Request, client: string): void;
  /** Takes how many bytes of a channel's file are sent. */
  onsend(id: StreamId, bytes: number): void;
}

export interface HlsHelp {
  /** What there is to show of a channel that is only starting, and the lists that end, since another node goes on. */
  slates?: { file(path: string): Promise<HlsFile | null>; last?: LastLists };
  /** Lets players wait for the next segment. */
  wait?: PlaylistWait;
  /** A segment of the node that had the channel before. */
  before?: (path: string) => Promise<HlsFile | null>;
  /** Whether a channel waits for its first viewer, who gets a list. */
  isWaiting?: (id: StreamId) => boolean;
}

const EMPTY_LIST: HlsFile = {
  type: "application/vnd.apple.mpegurl",
  etag: null,
  bytes: new Uint8Array(),
  text: "",
};
const NOBODY: HlsListeners = { onask: () => {}, onviewer: () => {}, onsend: () => {} };

export class HlsProxy {
  constructor(readonly cache: HlsCache, readonly listeners = NOBODY, readonly help: HlsHelp = {}) {}

  /**
   * The answer to GET, HEAD or OPTIONS for a path below /api/hls, such as "/live/clock/index.m3u8", still encoded. Never
   * throws. @param client an IP address; "": a node of the cluster, which counts its viewers itself.
   */
  async answer(request: Request, rawPath: string, client = "local"): Promise<Response> {
    const response = await this.#answer(request, rawPath, client === "");
    const path = client !== "" && request.method === "GET" && response.ok ? hlsPath(rawPath) : null;
    if (path !== null) {
      const [channel, owner] = [channelOf(path), channelOfFile(path)];
      if (channel !== null) this.listeners.onviewer(channel, request, client);
      if (owner !== null) this.listeners.onsend(owner, Number(response.headers.get("content-length") ?? 0));
    }
    if (isPageOfThisMachine(request.headers.get("origin"))) {
      response.headers.delete("access-control-allow-origin");
    }
    return response;
  }

  /**
   * The file; a player that waits for a segment gets the playlist when it is there, and a node the channel's last one.
   * HEAD waits for nothing, and starts and ends no channel.
   */
  async #asked(request: Request, path: string, isNode: boolean): Promise<HlsAnswer> {
    const { wait, slates } = this.help;
    const id = channelOf(path);
    if (id === null) return await this.cache.get(path);
    const query = request.url.includes("?") ? new URL(request.url).searchParams : null;
    const isHead = request.method === "HEAD";
    if (!isHead) {
      if (isNode && query?.has(LAST)) {
        slates?.last?.end(id);
        return await this.cache.get(path, Infinity);
      }
      this.listeners.onask(id);
    }
    if (!wait || !query?.has(WAITS)) return await this.cache.get(path);
    const segment = isHead ? null : awaitedSegment(query);
    if (segment === null) return waitable(await this.cache.get(path));
    const ask = (notBefore: number) => this.cache.get(path, notBefore);
    // in a list that has ended there will be none
    const text = (answer: HlsAnswer) => slates?.last?.has(id) ? null : textOf(answer);
    return waitable(await wait.until(id, segment, ask, text, request.signal));
  }

  async #answer(request: Request, rawPath: string, isNode: boolean): Promise<Response> {
    if (request.method === "OPTIONS") return preflight();
    const path = hlsPath(rawPath);
    if (path === null) return failed(404, "There is no such file.");
    const answer = await this.#asked(request, path, isNode);
    if (!isThere(answer)) {
      const { slates, before, isWaiting } = this.help;
      const file = await slates?.file(path) ?? await before?.(path);
      if (file) return fileResponse(request, path, file);
      const id = channelOf(path);
      if (request.method === "HEAD" && id !== null && isWaiting?.(id)) return listHead(path);
    }
    switch (answer.kind) {
      case "file":
        return fileResponse(request, path, answer.file);
      case "unshared": {
        const { origin, headers, client } = this.cache;
        const cacheControl = hlsCacheControl(path);
        return readableByAll(await proxy(request, origin + path, { cacheControl, headers, client }));
      }
      case "refused":
        return refusal(path, answer.status);
      case "unavailable":
        log("debug", "no file from the media server", { path, problem: answer.problem });
        return unavailable(502);
    }
  }
}

/** The answer to HEAD for the list that a channel's first viewer will get; how long that is nobody knows yet. */
function listHead(path: string): Response {
  const { "content-length": _, ...headers } = fileHeaders(path, EMPTY_LIST);
  return new Response(null, { headers });
}

/** A playlist that players may wait for. */
function waitable(answer: HlsAnswer): HlsAnswer {
  if (answer.kind !== "file" || answer.file.text === null) return answer;
  const text = withWaiting(answer.file.text);
  return { kind: "file", file: { ...answer.file, text, bytes: new TextEncoder().encode(text) } };
}

function textOf(answer: HlsAnswer): string | null {
  return answer.kind === "file" ? answer.file.text : null;
}

function isThere(answer: HlsAnswer): boolean {
  return answer.kind === "unshared" || (answer.kind === "file" && !isSeed(answer.file));
}

/** The answer to GET or HEAD for a channel's file: all of it, a range, or that the client has it. */
export function fileResponse(request: Request, path: string, file: HlsFile): Response {
  const { bytes, etag } = file;
  if (isSeed(file)) return failed(404, "The channel has no picture yet; it is starting.");
  const headers = fileHeaders(path, file);
  if (etag !== null && namesTag(request.headers.get("if-none-match"), etag)) {
    return new Response(null, { status: 304, headers });
  }
  const range = wantedRange(request.headers, bytes.length, etag);
  if (range === "unsatisfiable") {
    return failed(416, "The file ends before this range.", { "content-range": `bytes */${bytes.length}` });
  }
  const isHead = request.method === "HEAD";
  if (!range) return new Response(isHead ? null : file.text ?? bodyOf(bytes), { headers });
  const { from, to } = range;
  headers["content-length"] = String(to - from);
  headers["content-range"] = `bytes ${from}-${to - 1}/${bytes.length}`;
  return new Response(isHead ? null : bodyOf(bytes.subarray(from, to)), { status: 206, headers });
}

/** Bytes of a piece of a body: Deno takes a quarter longer to send 500 kB in one piece. */
const PIECE_BYTES = 256 * 1024;

/** A body of bytes that all viewers of a file share: Deno would copy those that a Response is given as they are. */
function bodyOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        controller.enqueue(bytes.subarray(at, at + PIECE_BYTES));
      }
      controller.close();
    },
  });
}

function refusal(path: string, status: number): Response {
  if (status >= 300 && status < 500) {
    return failed(404, "There is no such file: the channel is off, or the segment is too old.");
  }
  log("debug", "no file from the media server", { path, status });
  return unavailable(status >= 500 ? status : 502);
}

function unavailable(status: number): Response {
  const message = "The media server does not answer. It is being restarted; try again.";
  return failed(status, message, { "retry-after": "1" });
}

/** Whether it is the playlist that the encoder leaves for the media server to go on from (hls.ts). */
function isSeed({ text }: HlsFile): boolean {
  return text !== null && text.length <= SEED_BYTES && text.includes("#EXT-X-MEDIA-SEQUENCE") &&
    !text.includes("#EXTINF");
}
