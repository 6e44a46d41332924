/**
 * The slates of channels that start while somebody waits for them: what viewers get until the encoder's first segment is
 * there, and how its segments are numbered on from there. A channel that comes from another node goes on likewise.
 */
import { join } from "node:path";
import type { StreamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";
import { targetDuration } from "../model/segments.ts";
import { Semaphore } from "../system/concurrency.ts";
import { readOrNull, writeFileAtomic } from "../os/files.ts";
import { errorText, log } from "../system/log.ts";
import type { BytesRunner } from "../os/process.ts";
import type { Timings } from "../timings.ts";
import { channelOf, channelOfFile, seedPlaylist } from "./hls.ts";
import type { HlsFile } from "./hls_cache.ts";
import { LastLists } from "./last_lists.ts";
import type { DiscontinuitySequences } from "./discontinuity_sequence.ts";
import {
  beginBehind,
  beginSlate,
  joinedPlaylist,
  slatePlaylist,
  type SlateRun,
  slateSequence,
} from "./slate_playlist.ts";
import { SlateSegments } from "./slate_segments.ts";
import { slateCommand, type SlateLook, slateSubtitles } from "./slate_video.ts";

export interface SlatesParts {
  /** What outlives a restart of the web app, as encoders and viewers do. In the run directory. */
  file: string;
  /** Where subtitles are written: a folder of ours. */
  folder: string;
  run: BytesRunner;
  stream(id: StreamId): Shown | undefined;
  /** The first number that no segment of a channel ever had, as far as viewers were told; and playlists as they get them. */
  discontinuities: Pick<DiscontinuitySequences, "next" | "numbered" | "goOn">;
  limits: Pick<Timings, "slateMs" | "slatePageMs" | "slateMakeMs">;
  now(): number;
  elapsed(): number;
}

type Shown = Pick<Stream, "id" | "name" | "scale">;

interface Running {
  run: SlateRun;
  /** Unix ms: a channel that has nothing by then will not have anything soon. */
  until: number;
  /** Unix ms at the beginning of the steady clock, as it was when the run began: the clock may be set while it lasts. */
  begin: number;
  /** Whether the channel is not being started yet: it waits for room. */
  isHeld?: boolean;
}

/** Bytes of one second; a still picture takes some 40 kB, one of 4K some 200. */
const MAX_BYTES = 4 * 1024 * 1024;

export class Slates {
  /** Channels that another node is about to have. */
  readonly last: LastLists;
  #parts: SlatesParts;
  #running: Map<StreamId, Running>;
  /** By stream, with what it shows; of null, none could be made. */
  #made = new Map<StreamId, { look: string; segments: Promise<SlateSegments | null> }>();
  /** Those that nobody waits for are made one after the other. */
  #semaphore = new Semaphore(1);
  #written: Promise<void> = Promise.resolve();

  private constructor(parts: SlatesParts, running: Map<StreamId, Running>) {
    this.last = new LastLists(parts.elapsed);
    this.#parts = parts;
    this.#running = running;
  }

  /** Goes on with what the file remembers. */
  static async open(parts: SlatesParts): Promise<Slates> {
    const running: Record<string, Running> = await readOrNull(parts.file)
      .then((text) => JSON.parse(text ?? "{}"))
      .catch((error) => {
        log("warn", "slates not read", { error: errorText(error) });
        return {};
      });
    const entries = Object.entries(running) as [StreamId, Running][];
    // how much of a slate was still listed is not known: what is not listed any more cannot come back
    for (const [, { run }] of entries) if (run.joined) run.listed = run.joined.at;
    // nor what was done to the clock meanwhile
    const longest = parts.now() + parts.limits.slateMs;
    for (const [, running] of entries) {
      running.until = Math.min(running.until, longest);
      running.begin = parts.now() - parts.elapsed();
    }
    return new Slates(parts, new Map(entries));
  }

  /** Makes a stream's slate ahead of its viewers. */
  prepare(stream: Shown): void {
    for (const id of this.#made.keys()) if (!this.#parts.stream(id)) this.#made.delete(id);
    void this.#semaphore.run(() => this.#segments(stream));
  }

  /** Begins to show a slate on a channel that is being started. */
  begin(stream: Stream): void {
    this.#show(stream, false);
  }

  /** Shows a slate on a channel that waits for room, until it begins or nobody has asked for a while. */
  hold(stream: Stream): void {
    const running = this.#running.get(stream.id);
    if (!running?.isHeld) return this.#show(stream, true);
    running.until = this.#now(running) + this.#parts.limits.slateMs;
  }

  #show(stream: Stream, isHeld: boolean): void {
    const { discontinuities, limits, elapsed } = this.#parts;
    const held = this.#running.get(stream.id);
    const begin = held?.isHeld ? held.begin : this.#parts.now() - elapsed();
    const now = begin + elapsed();
    const delayMs = stream.delay * 1000;
    const pageMs = delayMs + limits.slatePageMs;
    const run = held?.isHeld
      ? { ...held.run, shownAt: null, pageUntil: now + pageMs }
      : beginSlate(now, targetDuration(stream), discontinuities.next(stream.id), pageMs);
    this.#running.set(stream.id, { run, until: now + delayMs + limits.slateMs, begin, isHeld });
    this.#save();
    void this.#segments(stream);
  }

  /** A channel goes on here from the last list of the node that had it. @param playlist as its viewers got it. */
  goOn(id: StreamId, playlist: string): void {
    const now = this.#parts.now();
    const run = beginBehind(playlist);
    if (!run) return;
    this.last.forget(id);
    this.#parts.discontinuities.goOn(id, playlist);
    this.#running.set(id, { run, until: now, begin: now - this.#parts.elapsed() });
    this.#save();
  }

  /** The first number that no segment of a channel had, as far as viewers were told. */
  next(id: StreamId): number {
    return this.#parts.discontinuities.next(id);
  }

  /** By how much a channel's numbers, as viewers get them, are before those of the media server. */
  ahead(id: StreamId): number {
    return this.#running.get(id)?.run.joined?.offset ?? 0;
  }

  /** The display shows the page that the channel is started for. */
  shown(id: StreamId): void {
    const running = this.#running.get(id);
    if (running) running.run.shownAt ??= this.#now(running);
  }

  /** The channel is off: its numbers need not go on from a slate's. */
  end(id: StreamId): void {
    if (this.#running.delete(id)) this.#save();
  }

  /** A channel's list as viewers get it. @param playlist as the media server wrote it. */
  listed(id: StreamId, playlist: string): string {
    const { discontinuities } = this.#parts;
    return this.last.list(id, () => discontinuities.numbered(id, this.joined(id, playlist)));
  }

  /**
   * The media server's list behind the slate; a list without a segment while it has none of this start. What it lists of
   * the start before is nothing for those who come now.
   */
  joined(id: StreamId, playlist: string): string {
    const running = this.#running.get(id);
    if (!running) return playlist;
    const now = this.#now(running);
    // by then it is the clock that was set, by which the media server names its segments
    const joined = joinedPlaylist(running.run, playlist, now, now >= running.until);
    if (!joined) return running.run.joined ? playlist : seedPlaylist(now, running.run.target);
    const isNew = running.run.joined === null;
    running.run = joined.run;
    if (isNew) this.#save();
    return joined.playlist;
  }

  /**
   * A playlist that the media server does not have, or a segment that it never has: those of a slate. Null for others.
   * @param path below the media server's root.
   */
  async file(path: string): Promise<HlsFile | null> {
    const id = channelOfFile(path);
    if (id === null) return null;
    if (channelOf(path) !== null) return await this.#playlist(id);
    const sequence = slateSequence(path.slice(path.lastIndexOf("/") + 1));
    const segments = sequence === null ? null : await this.#made.get(id)?.segments;
    if (!segments || sequence === null) return null;
    return { type: "video/mp2t", etag: null, bytes: segments.segment(sequence), text: null };
  }

  /** Resolves when all that is to be remembered is in the file, and nothing is being made. */
  async settled(): Promise<void> {
    await Promise.all(Array.from(this.#made.values(), ({ segments }) => segments));
    await this.#written;
  }

  async #playlist(id: StreamId): Promise<HlsFile | null> {
    const stream = this.#running.has(id) && this.#parts.stream(id);
    // without a picture there is nothing to list; one that could not be made, or that an earlier web app made, is made now
    if (!stream || !await this.#segments(stream)) return null;
    const running = this.#running.get(id);
    if (!running || running.run.joined) return null;
    const now = this.#now(running);
    if (now >= running.until) return null;
    const { playlist, run } = slatePlaylist(running.run, now);
    running.run = run;
    const text = this.#parts.discontinuities.numbered(id, playlist);
    return { type: "application/vnd.apple.mpegurl", etag: null, bytes: new TextEncoder().encode(text), text };
  }

  /** Unix ms, if nobody had set the clock since the run began. */
  #now({ begin }: Running): number {
    return begin + this.#parts.elapsed();
  }

  #segments(stream: Shown): Promise<SlateSegments | null> {
    const { id, name, scale } = stream;
    const isHeld = this.#running.get(id)?.isHeld === true;
    const look = JSON.stringify([name, scale, isHeld]);
    const known = this.#made.get(id);
    if (known?.look === look) return known.segments;
    const segments = this.#make({ ...stream, isHeld }).catch((error) => {
      log("warn", "no slate", { stream: id, error: errorText(error) });
      // the next viewer is another try
      if (this.#made.get(id)?.segments === segments) this.#made.delete(id);
      return null;
    });
    this.#made.set(id, { look, segments });
    return segments;
  }

  async #make(stream: Shown & SlateLook): Promise<SlateSegments> {
    const { folder, run, limits } = this.#parts;
    const name = `slate-${stream.id}-${crypto.randomUUID().slice(0, 8)}.ass`;
    const path = join(folder, name);
    try {
      await Deno.writeTextFile(path, slateSubtitles(stream), { mode: 0o600 });
      const options = { cwd: folder, timeoutMs: limits.slateMakeMs, maxOutput: MAX_BYTES };
      const { code, stdout, stderr } = await run(slateCommand(stream, name), options);
      if (code !== 0) throw new Error(stderr.trim().slice(-300) || `ffmpeg ended with ${code}`);
      return new SlateSegments(stdout);
    } finally {
      await Deno.remove(path).catch(() => {});
    }
  }

  #save(): void {
    const text = () => JSON.stringify(Object.fromEntries(this.#running));
    this.#written = this.#written.then(() => writeFileAtomic(this.#parts.file, text(), 0o600))
      .catch((error) => log("warn", "slates not saved", { error: errorText(error) }));
  }
}
