/**
 * Channels of other nodes for viewers that ask here: each playlist and segment is asked of the node that has the channel once
 * for all of them, and they are counted here. What a node has listed of a channel that moves here is brought along. The last
 * list of a node that is lost stays until another one has the channel: without a list most players end.
 */
import type { Channel } from "../channel/channel.ts";
import { fileResponse } from "../channel/hls_proxy.ts";
import { channelOf, channelOfFile, hlsPath, isPlaylist } from "../media/hls.ts";
import { HlsCache, type HlsFile, type HlsLimits } from "../channel/hls_cache.ts";
import { isPageOfThisMachine } from "../channel/hls_headers.ts";
import { LAST } from "../channel/last_list.ts";
import { awaitedSegment, SEGMENT, WAITS, withoutWaiting } from "../channel/playlist_wait.ts";
import { PASS_HEADER, type Passes } from "../auth/pass.ts";
import { askUpstream } from "../http/upstream.ts";
import type { StreamId } from "../model/id.ts";
import { lastSequence } from "../model/segments.ts";
import { happensWithin } from "../system/time.ts";
import { noAnswer, type OtherNode, READ_MS } from "./forward.ts";

export interface OtherChannelsParts {
  /** The node that has a channel on the air; null: none, or this one. */
  origin(id: StreamId): OtherNode | null;
  /** The node that was lost while it had a channel on the air which no other one has begun; null: there is none. */
  lostOrigin(id: StreamId): string | null;
  /** Where a node is reached; null: it is not heard. */
  other(name: string): OtherNode | null;
  passes: Pick<Passes, "make">;
  ask: typeof fetch;
  /** Counts the viewers who watch here, and the bytes that they were sent. */
  channel(id: StreamId): Pick<Channel, "viewers" | "sent"> | undefined;
  limits: HlsLimits;
  elapsed(): number;
}

const HLS = "/api/hls";
/** Milliseconds until a playlist is there whose next segment somebody waits for: its node holds it for 6 s at most. */
const HELD_MS = 8000;
/** Segments around the last known one that are waited for: each other number would be one more request to that node. */
const WAITED_FOR = 2;
/** Milliseconds for which the node that had a channel before is asked for segments that it has listed. */
const BEFORE_MS = 30_000;
/** Milliseconds for those that are brought along: its channel stands still meanwhile (lib/channel/last_list.ts). */
const BRING_MS = 4000;
/** Milliseconds for which a channel's last list stays: twice the time in which another node has what a lost one had. */
const KEPT_MS = 60_000;

export class OtherChannels {
  #parts: OtherChannelsParts;
  /** Its parts: `start` and `stop`. */
  readonly cache: HlsCache;
  /** The node that each channel of this one came from. */
  #before = new Map<StreamId, { node: string; at: number }>();
  /** The list of each channel that viewers were given here last. */
  #given = new Map<StreamId, { node: string; file: HlsFile; at: number }>();

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
    if (file === null) return null;
    const channel = channelOf(file);
    // HEAD of a list is asked there as HEAD, which starts no channel
    if (method !== "GET" && (method !== "HEAD" || channel !== null)) return null;
    const answer = await this.cache.get(file + (channel === null ? "" : this.#waitOf(channel, url)));
    if (answer.kind === "file" && channel !== null) this.#note(channel, node, answer.file);
    const isAway = answer.kind === "unavailable";
    const kept = isAway && channel !== null ? this.#lastList(channel, node) : null;
    const shown = answer.kind === "file" ? answer.file : kept;
    if (shown === null) return isAway ? noAnswer(node, answer.problem) : null;
    const response = fileResponse(request, file, shown);
    if (isPageOfThisMachine(headers.get("origin"))) response.headers.delete("access-control-allow-origin");
    if (method !== "GET" || !response.ok) return response;
    const watched = this.#parts.channel(channelOfFile(file)!);
    if (channel !== null) watched?.viewers.note(client, headers.get("user-agent"));
    watched?.sent(Number(response.headers.get("content-length") ?? 0));
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

  /**
   * What there is of the node that had a channel before: a segment that it has listed, if the channel is this node's by now,
   * and its last list, if it is lost and no other node has the channel. Null: there is none.
   */
  async before(path: string): Promise<HlsFile | null> {
    const id = channelOfFile(path);
    if (id === null) return null;
    if (isPlaylist(path)) return this.#lastList(id, this.#parts.lostOrigin(id));
    if (!this.#nodeBefore(id)) return null;
    const answer = await this.cache.get(path);
    return answer.kind === "file" ? answer.file : null;
  }

  #note(id: StreamId, node: string, file: HlsFile): void {
    const at = this.#parts.elapsed();
    if (!this.#given.has(id)) {
      for (const [one, given] of this.#given) if (at - given.at > KEPT_MS) this.#given.delete(one);
    }
    this.#given.set(id, { node, file, at });
  }

  /** The last list that a node has given of a channel; null: there is none, or it is old. */
  #lastList(id: StreamId, node: string | null): HlsFile | null {
    const given = this.#given.get(id);
    if (!given || given.node !== node || this.#parts.elapsed() - given.at > KEPT_MS) return null;
    // who waits for a segment of it would be answered at once, and ask again
    const text = withoutWaiting(given.file.text ?? "");
    return { ...given.file, text, bytes: new TextEncoder().encode(text) };
  }

  /** The query of a player that waits for a segment, in one spelling. */
  #waitOf(channel: StreamId, url: string): string {
    const query = new URL(url).searchParams;
    if (!query.has(WAITS)) return "";
    const segment = awaitedSegment(query);
    const text = this.#given.get(channel)?.file.text ?? null;
    const last = text === null ? segment : lastSequence(text);
    const isNear = segment !== null && last !== null && Math.abs(segment - last) <= WAITED_FOR;
    return isNear ? `?${WAITS}&${SEGMENT}=${segment}` : `?${WAITS}`;
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
