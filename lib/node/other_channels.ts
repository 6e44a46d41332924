/**
 * Channels of other nodes for viewers that ask here: each playlist and segment is asked of the node that has the channel once
 * for all of them, and they are counted here. What a node has listed of a channel that moves here is brought along.
 */
import { fileResponse, type HlsListeners } from "../media/hls_proxy.ts";
import { channelOf, channelOfFile, hlsPath, isPlaylist } from "../media/hls.ts";
import { HlsCache, type HlsFile, type HlsLimits } from "../media/hls_cache.ts";
import { isPageOfThisMachine } from "../media/hls_headers.ts";
import { LAST } from "../media/last_lists.ts";
import { awaitedSegment, SEGMENT, WAITS } from "../media/playlist_wait.ts";
import { PASS_HEADER, type Passes } from "../auth/pass.ts";
import { askUpstream } from "../http/upstream.ts";
import type { StreamId } from "../model/id.ts";
import { happensWithin } from "../system/time.ts";
import { noAnswer, type OtherNode, READ_MS } from "./forward.ts";

export interface OtherChannelsParts {
  /** The node that has a channel on the air; null: none, or this one. */
  origin(id: StreamId): OtherNode | null;
  /** Where a node is reached; null: it is not heard. */
  other(name: string): OtherNode | null;
  passes: Pick<Passes, "make">;
  ask: typeof fetch;
  /** Takes who watches, and how much is sent. */
  listeners(): Pick<HlsListeners, "onviewer" | "onsend">;
  limits: HlsLimits;
  elapsed(): number;
}

const HLS = "/api/hls";
/** Milliseconds until a playlist is there whose next segment somebody waits for: its node holds it for 6 s at most. */
const HELD_MS = 8000;
/** Milliseconds for which the node that had a channel before is asked for segments that it has listed. */
const BEFORE_MS = 30_000;
/** Milliseconds for those that are brought along: its channel stands still meanwhile (lib/media/last_lists.ts). */
const BRING_MS = 4000;

export class OtherChannels {
  #parts: OtherChannelsParts;
  /** Its parts: `start` and `stop`. */
  readonly cache: HlsCache;
  /** The node that each channel of this one came from. */
  #before = new Map<StreamId, { node: string; at: number }>();

  constructor(parts: OtherChannelsParts) {
    this.#parts = parts;
    this.cache = new HlsCache("", {
      ...{ limits: { ...parts.limits, answerMs: HELD_MS }, now: parts.elapsed },
      ask: (path, abort) => this.#fetch(path, abort),
    });
  }

  /**
   * The answer to a request for a channel's file; null: there is none that viewers share. @param path such as
   * "/api/hls/live/clock/1.ts". @param node that has the channel.
   */
  async answer(request: Request, path: string, node: string, client: string): Promise<Response | null> {
    const { method, headers, url } = request;
    const file = path.startsWith(HLS) ? hlsPath(path.slice(HLS.length)) : null;
    if (file === null || (method !== "GET" && method !== "HEAD")) return null;
    const channel = channelOf(file);
    const answer = await this.cache.get(file + (channel === null ? "" : waitOf(url)));
    if (answer.kind === "unavailable") return noAnswer(node, answer.problem);
    if (answer.kind !== "file") return null;
    const response = fileResponse(request, file, answer.file);
    if (isPageOfThisMachine(headers.get("origin"))) response.headers.delete("access-control-allow-origin");
    if (method !== "GET" || !response.ok) return response;
    const { onviewer, onsend } = this.#parts.listeners();
    if (channel !== null) onviewer(channel, request, client);
    onsend(channelOfFile(file)!, Number(response.headers.get("content-length") ?? 0));
    return response;
  }

  /**
   * Ends a channel at the node that has it, and brings the segments that it has listed.
   * @returns its last list; null: it gives none.
   */
  async bring(id: StreamId, node: string): Promise<string | null> {
    const now = this.#parts.elapsed();
    for (const [one, { at }] of this.#before) if (now - at > BEFORE_MS) this.#before.delete(one);
    this.#before.set(id, { node, at: now });
    const folder = `/live/${id}/`;
    const last = await this.cache.get(`${folder}index.m3u8?${LAST}`);
    const text = last.kind === "file" ? last.file.text : null;
    const names = text?.matchAll(/^[\w-]+\.ts(?=\r?$)/gm) ?? [];
    const brought = Array.from(names, ([name]) => this.cache.get(folder + name));
    await happensWithin(BRING_MS, Promise.all(brought));
    return text;
  }

  /** A segment that the node had listed which a channel of this node came from; null: there is none. */
  async before(path: string): Promise<HlsFile | null> {
    const id = channelOfFile(path);
    if (id === null || isPlaylist(path) || !this.#nodeBefore(id)) return null;
    const answer = await this.cache.get(path);
    return answer.kind === "file" ? answer.file : null;
  }

  #nodeBefore(id: StreamId): string | null {
    const { elapsed, origin } = this.#parts;
    const before = this.#before.get(id);
    // one that has moved on is asked of its node alone
    return before && elapsed() - before.at < BEFORE_MS && !origin(id) ? before.node : null;
  }

  async #fetch(path: string, abort: AbortController) {
    const { origin, other: otherOf, passes, ask, limits: { idleMs } } = this.#parts;
    const id = channelOfFile(path.replace(/\?.*/, ""));
    const before = id && this.#nodeBefore(id);
    const other = id && (origin(id) ?? (before === null ? null : otherOf(before)));
    if (!other) throw new Error("no other node has it");
    const { name, address } = other;
    // without a client: it is no viewer there
    const found = { client: "", publicUrl: address, addressBase: address, role: "viewer" as const };
    const pass = passes.make(name, "GET", HLS + path, {
      ...found,
      isFromOwnPage: false,
      mayReadSecrets: false,
    });
    const headers = new Headers({ [PASS_HEADER]: pass });
    return await askUpstream(address + HLS + path, { headers, ask, abort }, {
      ...{ idleMs, answerMs: path.includes(SEGMENT) ? HELD_MS : READ_MS },
    });
  }
}

/** The query of a player that waits for a segment, in one spelling. */
function waitOf(url: string): string {
  const query = new URL(url).searchParams;
  if (!query.has(WAITS)) return "";
  const segment = awaitedSegment(query);
  return segment === null ? `?${WAITS}` : `?${WAITS}&${SEGMENT}=${segment}`;
}
