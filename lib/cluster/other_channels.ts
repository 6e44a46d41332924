/**
 * Channels of other nodes for viewers who ask this node. Each playlist and each segment is asked once, of the node that has the
 * channel, for all viewers here, and the viewers are counted here. When a channel moves to this node, the segments in the last
 * list of its former node are fetched before. When a node is lost, the last list of its channels stays until another node has
 * them, since most players end without a list.
 */
import type { Channels } from "../channel/channel.ts";
import { fileResponse } from "../channel/hls_proxy.ts";
import { channelOf, channelOfFile, hlsPath, isPlaylist, withText } from "../channel/media/hls.ts";
import { HlsCache, type HlsLimits } from "../channel/hls_cache.ts";
import type { HlsFile } from "../channel/media/hls.ts";
import { isPageOfThisMachine } from "../channel/hls_headers.ts";
import { LAST } from "../channel/last_list.ts";
import { awaitedSegment, SEGMENT, WAITS, withoutWaiting } from "../channel/playlist_wait.ts";
import { PASS_HEADER, type Passes } from "../door/access/pass.ts";
import { askUpstream } from "../door/upstream.ts";
import type { StreamId } from "../model/id.ts";
import { lastSequence } from "../model/segments.ts";
import { happensWithin } from "../machine/tools/time.ts";
import type { ClusterStream } from "./cluster_streams.ts";
import { noAnswer, READ_MS } from "./forward.ts";
import type { ClusterView } from "./view.ts";

export interface OtherChannelsParts {
  view: Pick<ClusterView, "streams" | "origin" | "lostOrigin" | "other">;
  passes: Pick<Passes, "make">;
  ask: typeof fetch;
  limits: HlsLimits;
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
}

const HLS = "/api/hls";
/** Milliseconds until a playlist comes whose next segment a player waits for: the node holds the playlist for 6 s at most. */
const HELD_MS = 8000;
/** How far from the last known segment players may wait: each other number would be one more request to the channel's node. */
const WAITED_FOR = 2;
/** Milliseconds for which a channel's former node is asked for the segments that it has listed. */
const BEFORE_MS = 30_000;
/** Milliseconds to fetch these segments before a channel moves: it stands still meanwhile (lib/channel/last_list.ts). */
const BRING_MS = 4000;
/** Milliseconds for which a channel's last list stays: twice the time that other nodes need to take what a lost node had. */
const KEPT_MS = 60_000;

export class OtherChannels {
  #parts: OtherChannelsParts;
  /** The files of other nodes' channels; a part to start and stop. */
  readonly cache: HlsCache;

  constructor(parts: OtherChannelsParts) {
    this.#parts = parts;
    this.cache = new HlsCache("", {
      limits: { ...parts.limits, answerMs: HELD_MS },
      now: parts.elapsed,
      ask: (path, abort) => this.#fetch(path, abort),
    });
  }

  /**
   * The answer to a request for a channel's file; null: there is none that viewers share. @param path such as
   * "/api/hls/live/clock/1.ts". @param node that has the channel. @param watchers count the viewers and their bytes.
   */
  async answer(
    request: Request,
    path: string,
    node: string,
    client: string,
    watchers: Pick<Channels, "find">,
  ): Promise<Response | null> {
    const { method, headers, url } = request;
    const file = path.startsWith(HLS) ? hlsPath(path.slice(HLS.length)) : null;
    if (file === null) return null;
    const channel = channelOf(file);
    // HEAD of a list is asked there as HEAD, which starts no channel
    if (method !== "GET" && (method !== "HEAD" || channel !== null)) return null;
    const answer = await this.cache.get(file + (channel === null ? "" : this.#waitOf(channel, url)));
    if (answer.kind === "file" && channel !== null) {
      this.#of(channel).given = { node, file: answer.file, at: this.#parts.elapsed() };
    }
    const isAway = answer.kind === "unavailable";
    const kept = isAway && channel !== null ? this.#lastList(channel, node) : null;
    const shown = answer.kind === "file" ? answer.file : kept;
    if (shown === null) return isAway ? noAnswer(node, answer.problem) : null;
    const response = fileResponse(request, file, shown);
    if (isPageOfThisMachine(headers.get("origin"))) response.headers.delete("access-control-allow-origin");
    if (method !== "GET" || !response.ok) return response;
    const watched = watchers.find(channelOfFile(file)!)?.channel;
    if (channel !== null) watched?.viewers.note(client, headers.get("user-agent"));
    watched?.sent(Number(response.headers.get("content-length") ?? 0));
    return response;
  }

  /**
   * Ends a channel at the node that has it, and fetches the segments that this node has listed last.
   * @returns the channel's last list; null: the node gives none.
   */
  async bring(id: StreamId, node: string): Promise<string | null> {
    this.#of(id).before = { node, at: this.#parts.elapsed() };
    const folder = `/live/${id}/`;
    const last = await this.cache.get(`${folder}index.m3u8?${LAST}`);
    const text = last.kind === "file" ? last.file.text : null;
    const names = text?.matchAll(/^[\w-]+\.ts(?=\r?$)/gm) ?? [];
    const brought = Array.from(names, ([name]) => this.cache.get(folder + name));
    await happensWithin(BRING_MS, Promise.all(brought));
    return text;
  }

  /**
   * A file of a channel's former node: a segment that it has listed, where this node has the channel by now; its last list, where
   * it is lost and no other node has the channel yet. Null: there is none.
   */
  async before(path: string): Promise<HlsFile | null> {
    const id = channelOfFile(path);
    if (id === null) return null;
    if (isPlaylist(path)) return this.#lastList(id, this.#parts.view.lostOrigin(id));
    if (this.#nodeBefore(id) === null) return null;
    const answer = await this.cache.get(path);
    return answer.kind === "file" ? answer.file : null;
  }

  /** The stream's record; old lists and former nodes are forgotten whenever a channel is new here. */
  #of(id: StreamId): ClusterStream {
    const { elapsed, view: { streams } } = this.#parts;
    const known = streams.find(id);
    if (known?.before || known?.given) return known;
    const now = elapsed();
    for (const [, stream] of streams) {
      if (stream.before && now - stream.before.at > BEFORE_MS) stream.before = null;
      if (stream.given && now - stream.given.at > KEPT_MS) stream.given = null;
    }
    return streams.of(id);
  }

  /** The last list that a node has given of a channel; null: there is none, or it is old. */
  #lastList(id: StreamId, node: string | null): HlsFile | null {
    const given = this.#parts.view.streams.find(id)?.given;
    if (!given || given.node !== node || this.#parts.elapsed() - given.at > KEPT_MS) return null;
    // a player that waits for a segment of this list would be answered at once, and ask again
    return withText(given.file, withoutWaiting(given.file.text ?? ""));
  }

  /** The query of a player that waits for a segment, in one spelling. */
  #waitOf(channel: StreamId, url: string): string {
    const query = new URL(url).searchParams;
    if (!query.has(WAITS)) return "";
    const segment = awaitedSegment(query);
    const text = this.#parts.view.streams.find(channel)?.given?.file.text ?? null;
    const last = text === null ? segment : lastSequence(text);
    const isNear = segment !== null && last !== null && Math.abs(segment - last) <= WAITED_FOR;
    return isNear ? `?${WAITS}&${SEGMENT}=${segment}` : `?${WAITS}`;
  }

  /** The node that a channel of this node came from lately; null: none, or the channel has moved on to another node. */
  #nodeBefore(id: StreamId): string | null {
    const { elapsed, view } = this.#parts;
    const before = view.streams.find(id)?.before;
    return before && elapsed() - before.at < BEFORE_MS && !view.other(view.origin(id)) ? before.node : null;
  }

  async #fetch(path: string, abort: AbortController) {
    const { view, passes, ask, limits: { idleMs } } = this.#parts;
    const id = channelOfFile(path.replace(/\?.*/, ""));
    const other = id && (view.other(view.origin(id)) ?? view.other(this.#nodeBefore(id)));
    if (!other) throw new Error("no other node has it");
    const { name, address } = other;
    // a request without a client counts as no viewer at that node
    const found = { client: "", publicUrl: address, addressBase: address, role: "viewer" as const };
    const pass = passes.make(name, "GET", HLS + path, {
      ...found,
      isFromOwnPage: false,
      mayReadSecrets: false,
    });
    const headers = new Headers({ [PASS_HEADER]: pass });
    return await askUpstream(address + HLS + path, { headers, ask, abort }, {
      idleMs,
      answerMs: path.includes(SEGMENT) ? HELD_MS : READ_MS,
    });
  }
}
