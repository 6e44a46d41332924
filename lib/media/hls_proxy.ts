/** The channels for viewers: the media server's playlists and segments, each asked for once for all who want it. */
import { namesTag, wantedRange } from "../http/conditional.ts";
import { proxy } from "../http/proxy.ts";
import { log } from "../system/log.ts";
import { hlsCacheControl } from "./cache.ts";
import { type CacheRules, FileCache } from "./file_cache.ts";
import { hlsPath, isPlaylist, SEED_BYTES } from "./hls.ts";
import { failed, fileHeaders, METHODS, opened, preflight } from "./hls_headers.ts";
import { type FileFailure, type FileHead, GIVEN_UP, type SharedFile, TOO_BIG } from "./shared_file.ts";

/** Where the channels are below an address of ours. */
const PREFIX = "/api/hls";

export class HlsProxy implements Disposable {
  readonly cache: FileCache;
  #made = new WeakMap<FileHead, Headers>();

  /** @param origin of the media server, such as "http://127.0.0.1:8888". @param now a steady clock, in ms. */
  constructor(origin: string, rules: Partial<CacheRules> = {}, now?: () => number) {
    this.cache = new FileCache(origin, rules, now);
  }

  [Symbol.dispose](): void {
    this.cache[Symbol.dispose]();
  }

  /**
   * The answer to a request, hardened already, or null when its address is not below /api/hls/. Spares players the
   * app's way to a route, which takes longer than the answer.
   */
  shortcut(request: Request): Response | Promise<Response> | null {
    const { url } = request;
    const start = url.indexOf("/", url.indexOf("://") + 3);
    if (!url.startsWith(PREFIX + "/", start)) return null;
    const query = url.indexOf("?", start);
    return this.answer(request, url.slice(start + PREFIX.length, query < 0 ? undefined : query));
  }

  /** The answer for a raw, still encoded path such as "/live/clock/index.m3u8". Never throws. */
  answer(request: Request, rawPath: string): Response | Promise<Response> {
    const { method } = request;
    if (method === "OPTIONS") return preflight();
    if (method !== "GET" && method !== "HEAD") {
      return failed(405, `${method} is no method of a channel's files.`, { allow: METHODS });
    }
    let file = this.cache.find(rawPath);
    if (!file) {
      const path = hlsPath(rawPath);
      if (path === null) return failed(404, "There is no such file.");
      file = this.cache.file(path);
    }
    return file.isReady ? this.#respond(request, file) : this.#wait(request, file);
  }

  async #wait(request: Request, file: SharedFile): Promise<Response> {
    file.hold();
    try {
      await file.ready;
      return await this.#respond(request, file);
    } finally {
      file.release();
    }
  }

  #respond(request: Request, file: SharedFile): Response | Promise<Response> {
    const { head, failure, path } = file;
    if (failure || !head) return this.#refuse(request, path, failure);
    if (isPlaylist(path) && isSeed(file, head)) {
      return failed(404, "The channel has no picture yet; it is starting.");
    }
    if (head.etag !== null && namesTag(request.headers.get("if-none-match"), head.etag)) {
      return new Response(null, { status: 304, headers: fileHeaders(path, head) });
    }
    const range = wantedRange(request.headers, head.size, head.etag);
    if (range === "unsatisfiable") {
      return failed(416, "The file ends before this range.", { "content-range": `bytes */${head.size}` });
    }
    const isHead = request.method === "HEAD";
    if (!range) {
      return new Response(isHead ? null : file.body(0, head.size), { headers: this.#headers(path, head) });
    }
    const { from, to } = range;
    const headers = fileHeaders(path, head);
    headers.set("content-length", String(to - from));
    headers.set("content-range", `bytes ${from}-${to - 1}/${head.size}`);
    return new Response(isHead ? null : file.body(from, to), { status: 206, headers });
  }

  /** The headers of a whole file, made once. */
  #headers(path: string, head: FileHead): Headers {
    let headers = this.#made.get(head);
    if (!headers) this.#made.set(head, headers = fileHeaders(path, head));
    return headers;
  }

  async #refuse(request: Request, path: string, failure: FileFailure | null): Promise<Response> {
    const status = failure?.status ?? GIVEN_UP;
    if (status === TOO_BIG) {
      const cacheControl = hlsCacheControl(path);
      return opened(await proxy(request, this.cache.origin + path, { cacheControl }));
    }
    if (status >= 300 && status < 500) {
      return failed(404, "There is no such file: the channel is off, or the segment is too old.");
    }
    log("debug", "no file from the media server", { path, status, problem: failure?.message });
    const message = "The media server does not answer. It is being restarted; try again.";
    return failed(status >= 500 ? status : 502, message, { "retry-after": "1" });
  }
}

/** Whether it is the playlist that the encoder leaves for the media server to go on from (hls.ts). */
function isSeed(file: SharedFile, { size }: FileHead): boolean {
  if (size > SEED_BYTES) return false;
  return file.text.includes("#EXT-X-MEDIA-SEQUENCE") && !file.text.includes("#EXTINF");
}
