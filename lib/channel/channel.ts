/**
 * One channel: a stream as its viewers get it. It outlives the stream's programs, since viewers do, and ends with the
 * stream. HLS, transport streams and pictures are doors to it: each finds the channel by the stream's id.
 */
import type { StreamId } from "../model/id.ts";
import { withTimeout } from "../machine/tools/time.ts";
import { rtmpApplication } from "../model/segments.ts";
import { Breaks } from "./breaks.ts";
import type { ChannelGround, ChannelStream } from "./ground.ts";
import { channelOf, playlistTime, segmentTime, withText } from "./media/hls.ts";
import type { HlsAnswer } from "./hls_cache.ts";
import type { HlsFile } from "./media/hls.ts";
import { LAST, LastList } from "./last_list.ts";
import { pictureRate } from "./picture_rate.ts";
import { PictureRelay, type PictureViewer } from "./pictures/picture_relay.ts";
import { PlaylistAge } from "./playlist_age.ts";
import { awaitedSegment, PlaylistWait, waitable, WAITS } from "./playlist_wait.ts";
import { ProgramDates } from "./program_dates.ts";
import { Relay, type RelayViewer } from "./relay/relay.ts";
import { pictureTime } from "./segment_time.ts";
import { Slate } from "./slate.ts";
import { Viewers } from "./viewers.ts";
import { Watchers } from "./watchers.ts";

/** The channels of this machine, for their doors. */
export interface Channels {
  find(id: StreamId): { readonly channel: Channel } | undefined;
  list(): { readonly channel: Channel }[];
}

/** A request for a channel's playlist. */
export interface ListRequest {
  method: string;
  url: string;
  signal: AbortSignal;
  /** Whether another node of the cluster asks. */
  isNode: boolean;
}

/** Milliseconds from the last viewer to the end of a source: a player that begins anew need not wait; a grab takes more. */
const [RELAY_LINGER_MS, PICTURES_LINGER_MS] = [10_000, 1000];
/** Milliseconds that a list waits for its dates: the media server gives a segment in one or two. */
const DATE_MS = 300;

export class Channel {
  /** The viewers by HLS and by answers that go on. */
  readonly viewers: Viewers;
  readonly breaks: Breaks;
  readonly slate: Slate;
  /** Ends the list where another node is about to have the channel. */
  readonly last: LastList;
  /** Those who watch the transport stream. */
  readonly relay: Watchers<RelayViewer>;
  /** Those who watch the display's pictures. */
  readonly pictures: Watchers<PictureViewer>;
  #stream: ChannelStream;
  #ground: ChannelGround;
  #age: PlaylistAge;
  #wait: PlaylistWait;
  #dates: ProgramDates;
  #sentBytes = 0;

  constructor(stream: ChannelStream, ground: ChannelGround) {
    const { machine, silent } = ground;
    const { elapsed } = machine;
    const { id } = stream;
    const writtenAt = () => playlistTime(ground.hlsDir, id);
    this.#stream = stream;
    this.#ground = ground;
    this.#age = new PlaylistAge(writtenAt, machine);
    this.#wait = new PlaylistWait(writtenAt, elapsed);
    this.viewers = new Viewers(elapsed);
    this.breaks = new Breaks(id, ground.breaks);
    this.last = new LastList(elapsed);
    this.slate = new Slate(stream, this.breaks, ground);
    this.#dates = new ProgramDates((name) => this.#timeOf(name));
    const silentMs = silent.idleMs;
    // each source takes the settings of its begin: others come with another encoder, or another display
    this.relay = new Watchers<RelayViewer>(this, () => {
      const application = rtmpApplication(stream.stream!);
      return new Relay((signal) => machine.playChannel({ application, name: id }, signal));
    }, { lingerMs: RELAY_LINGER_MS, silentMs, elapsed });
    this.pictures = new Watchers<PictureViewer>(this, () => {
      const { resolution } = stream.stream!;
      return new PictureRelay((fps, signal) => machine.broker.watch(id, resolution, fps, signal), elapsed);
    }, { lingerMs: PICTURES_LINGER_MS, silentMs, elapsed });
  }

  /** Whether the channel is on the air, or would be as soon as somebody watches. */
  get isOnAir(): boolean {
    return this.#stream.isOnAir;
  }

  /** Whether the channel waits for its first viewer. */
  get isWaiting(): boolean {
    return this.#stream.isWaiting;
  }

  /** Milliseconds since the media server last wrote the playlist; null: there is none with a segment. */
  get ageMs(): number | null {
    return this.#age.ms;
  }

  /** Bytes that viewers were sent since the web app's start. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  sent(bytes: number): void {
    this.#sentBytes += bytes;
  }

  /** Somebody watches, or is about to: a stream that waits for viewers starts. */
  watched(): void {
    this.#stream.watched();
  }

  /**
   * The playlist as the viewer gets it. A player that waits for a segment gets the playlist when the segment is there, and
   * another node gets the last one if it asks so. HEAD waits for nothing, and starts and ends no channel.
   */
  async list(request: ListRequest): Promise<HlsAnswer> {
    const query = request.url.includes("?") ? new URL(request.url).searchParams : null;
    const isHead = request.method === "HEAD";
    if (!isHead) {
      if (request.isNode && query?.has(LAST)) {
        this.last.end();
        return await this.#list(Infinity);
      }
      this.watched();
    }
    if (!query?.has(WAITS)) return await this.#list();
    const segment = isHead ? null : awaitedSegment(query);
    if (segment === null) return waitable(await this.#list());
    const ask = (notBefore: number) => this.#list(notBefore);
    // in a list that has ended there will be none
    const text = (answer: HlsAnswer) => this.last.isHeld || answer.kind !== "file" ? null : answer.file.text;
    return waitable(await this.#wait.until(segment, ask, text, request.signal));
  }

  /**
   * The playlist or segment that the media server does not have: one of the slate; null: it is none of them.
   * @param path below the media server's root.
   */
  async slateFile(path: string): Promise<HlsFile | null> {
    if (channelOf(path) !== null) {
      const file = await this.slate.playlist();
      return file && withText(file, await this.#dated(file.text!));
    }
    return await this.slate.segment(path.slice(path.lastIndexOf("/") + 1));
  }

  /** The channel goes on here from the last list of the node that had it. @param playlist as its viewers got it. */
  goOn(playlist: string): void {
    if (!this.slate.goOn(playlist)) return;
    this.#dates.goOn(playlist);
    this.last.release();
  }

  /** Pictures a second, to a whole one, as the newest segment has them; null while there is none. */
  async pictureRate(): Promise<number | null> {
    const { files } = this.#ground;
    return await pictureRate(
      { get: (path) => channelOf(path) === null ? files.get(path) : this.#list() },
      this.#stream.id,
    );
  }

  /** Once a second: looks after those who watch. */
  tick(): void {
    this.relay.tick();
    this.pictures.tick();
  }

  /** Ends all answers that go on: everybody was logged out. */
  endWatching(): void {
    this.relay.end();
    this.pictures.end();
  }

  /** Forgets the viewers and the numbers: the stream was removed, and another may get its id. */
  clear(): void {
    this.endWatching();
    this.last.release();
    this.viewers.clear();
    this.breaks.clear();
    this.slate.end();
    this.#sentBytes = 0;
  }

  /** Ends all that is kept open; resolves when nothing is under way. The numbers stay for the next web app. */
  async stop(): Promise<void> {
    await Promise.all([this.relay.stop(), this.pictures.stop(), this.slate.stop()]);
  }

  /** @param notBefore a list that was asked for earlier does not count, ms of the steady clock. */
  #list(notBefore?: number): Promise<HlsAnswer> {
    const given = (playlist: string) =>
      this.#dated(this.last.list(() => this.breaks.numbered(this.slate.joined(playlist))));
    return this.#ground.files.get(`/live/${this.#stream.id}/index.m3u8`, notBefore, given);
  }

  /** The list with its dates; without, if a segment that is asked for one does not come. */
  #dated(playlist: string): Promise<string> {
    return withTimeout(DATE_MS, this.#dates.dated(playlist), "no date").catch(() => playlist);
  }

  async #timeOf(name: string): Promise<number | null> {
    const ofSlate = this.slate.timeOf(name);
    const writtenAt = segmentTime(name);
    if (ofSlate !== null || Number.isNaN(writtenAt)) return ofSlate;
    const answer = await this.#ground.files.get(`/live/${this.#stream.id}/${name}`);
    return answer.kind === "file" ? pictureTime(answer.file.bytes, writtenAt) : null;
  }
}
