/** The channels for viewers: the media server's playlists and segments, each asked for once for all viewers. */
import { namesTag, wantedRange } from "../door/conditional.ts";
import { proxy } from "../door/proxy.ts";
import { log } from "../machine/tools/log.ts";
import type { Channel, Channels } from "./channel.ts";
import { channelOf, channelOfFile, hlsPath, SEED_BYTES } from "./media/hls.ts";
import type { HlsAnswer, HlsCache } from "./hls_cache.ts";
import type { HlsFile } from "./media/hls.ts";
import {
  failed,
  fileHeaders,
  hlsCacheControl,
  isPageOfThisMachine,
  preflight,
  readableByAll,
} from "./hls_headers.ts";

const EMPTY_LIST: HlsFile = {
  type: "application/vnd.apple.mpegurl",
  etag: null,
  bytes: new Uint8Array(),
  text: "",
};
/** The channels' files of other nodes. */
interface Before {
  /** A file that the channel's node before this one has listed; null: there is none. */
  before(path: string): Promise<HlsFile | null>;
}

const NO_CHANNELS: Channels = { find: () => undefined, list: () => [] };

export class HlsProxy {
  #files: HlsCache;
  #channels: Channels;
  #placement: Before;

  /** @param placement has the segments of the nodes that had the channels before. */
  constructor(
    files: HlsCache,
    channels: Channels = NO_CHANNELS,
    placement: Before = { before: () => Promise.resolve(null) },
  ) {
    this.#files = files;
    this.#channels = channels;
    this.#placement = placement;
  }

  /**
   * The answer to GET, HEAD or OPTIONS for a path below /api/hls, such as "/live/clock/index.m3u8", still encoded. Never
   * throws. @param client an IP address; "": a node of the cluster, which counts its viewers itself.
   */
  async answer(request: Request, rawPath: string, client = "local"): Promise<Response> {
    const isNode = client === "";
    const path = hlsPath(rawPath);
    const id = path === null ? null : channelOfFile(path);
    const channel = id === null ? undefined : this.#channels.find(id)?.channel;
    const response = await this.#answer(request, path, channel, isNode);
    if (channel && !isNode && request.method === "GET" && response.ok) {
      if (channelOf(path!) !== null) channel.viewers.note(client, request.headers.get("user-agent"));
      channel.sent(Number(response.headers.get("content-length") ?? 0));
    }
    if (isPageOfThisMachine(request.headers.get("origin"))) {
      response.headers.delete("access-control-allow-origin");
    }
    return response;
  }

  async #answer(
    request: Request,
    path: string | null,
    channel: Channel | undefined,
    isNode: boolean,
  ): Promise<Response> {
    if (request.method === "OPTIONS") return preflight();
    if (path === null) return failed(404, "There is no such file.");
    const isList = channelOf(path) !== null;
    const { method, url, signal } = request;
    const answer = isList && channel
      ? await channel.list({ method, url, signal, isNode })
      : await this.#files.get(path);
    if (!isThere(answer)) {
      const file = await channel?.slateFile(path) ?? await this.#placement.before(path);
      if (file) return fileResponse(request, path, file);
      if (method === "HEAD" && isList && channel?.isWaiting) return listHead(path);
    }
    switch (answer.kind) {
      case "file":
        return fileResponse(request, path, answer.file);
      case "unshared": {
        const { origin, headers, client } = this.#files;
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
