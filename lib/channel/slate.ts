/**
 * The slate of a channel that starts while somebody waits for it: what viewers get until the encoder's first segment is
 * there, and how its segments are numbered on from there. A channel that comes from another node goes on likewise.
 */
import { join } from "node:path";
import type { Stream } from "../model/schema.ts";
import { targetDuration } from "../model/segments.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { Breaks } from "./breaks.ts";
import type { ChannelGround, ChannelStream } from "./ground.ts";
import { seedPlaylist } from "./media/hls.ts";
import type { HlsFile } from "./media/hls.ts";
import {
  beginBehind,
  beginSlate,
  joinedPlaylist,
  type SlateEntry,
  slatePlaylist,
  slateSequence,
  slateTime,
} from "./slate_playlist.ts";
import { SlateSegments } from "./slate_segments.ts";
import { slateCommand, type SlateLook, slateSubtitles } from "./slate_video.ts";

type Shown = Pick<Stream, "id" | "name" | "scale">;

/** Bytes of one second; a still picture takes some 40 kB, one of 4K some 200. */
const MAX_BYTES = 4 * 1024 * 1024;

export class Slate {
  #stream: Pick<ChannelStream, "id" | "stream">;
  #breaks: Pick<Breaks, "next" | "numbered" | "goOn">;
  #ground: ChannelGround;
  #running: SlateEntry | null;
  /** The segments with what they show; of null, none could be made. */
  #made: { look: string; segments: Promise<SlateSegments | null> } | null = null;
  /** The slate that is made ahead of the viewers, or waits for its turn. */
  #preparing: Promise<unknown> | null = null;
  #isOver = false;

  /** Goes on with what an earlier web app has left. @param breaks number the channel's playlists. */
  constructor(stream: Pick<ChannelStream, "id" | "stream">, breaks: Breaks, ground: ChannelGround) {
    this.#stream = stream;
    this.#breaks = breaks;
    this.#ground = ground;
    const kept = ground.slates.get(stream.id);
    this.#running = kept ? resumed(kept, ground) : null;
  }

  /** Makes the slate ahead of the viewers. */
  prepare(stream: Shown): void {
    this.#preparing = this.#ground.making.run(() =>
      this.#isOver ? Promise.resolve(null) : this.#segments(stream)
    );
  }

  /** Begins to show the slate on a channel that is being started. */
  begin(stream: Stream): void {
    this.#show(stream, false);
  }

  /** Shows the slate on a channel that waits for room, until it begins or nobody has asked for a while. */
  hold(stream: Stream): void {
    const running = this.#running;
    if (!running?.isHeld) return this.#show(stream, true);
    running.until = this.#now(running) + this.#ground.limits.slateMs;
  }

  #show(stream: Stream, isHeld: boolean): void {
    const { limits, machine: { now: clock, elapsed } } = this.#ground;
    const held = this.#running?.isHeld ? this.#running : null;
    const begin = held?.begin ?? clock() - elapsed();
    const now = begin + elapsed();
    const delayMs = stream.delay * 1000;
    const pageMs = delayMs + limits.slatePageMs;
    const run = held
      ? { ...held.run, shownAt: null, pageUntil: now + pageMs }
      : beginSlate(now, targetDuration(stream), this.#breaks.next, pageMs);
    this.#run({ run, until: now + delayMs + limits.slateMs, begin, isHeld });
    void this.#segments(stream);
  }

  /**
   * The channel goes on here from the last list of the node that had it.
   * @param playlist as its viewers got it. @returns whether it has a segment to go on from.
   */
  goOn(playlist: string): boolean {
    const { now: clock, elapsed } = this.#ground.machine;
    const now = clock();
    const run = beginBehind(playlist);
    if (!run) return false;
    this.#breaks.goOn(playlist);
    this.#run({ run, until: now, begin: now - elapsed() });
    return true;
  }

  /** By how much the channel's numbers, as viewers get them, are before those of the media server. */
  get ahead(): number {
    return this.#running?.run.joined?.offset ?? 0;
  }

  /** The display shows the page that the channel is started for. */
  shown(): void {
    const running = this.#running;
    if (running) running.run.shownAt ??= this.#now(running);
  }

  /** The channel is off: its numbers need not go on from the slate's. */
  end(): void {
    this.#running = null;
    const { slates } = this.#ground;
    if (slates.delete(this.#stream.id)) void slates.save();
  }

  /**
   * The media server's list behind the slate; a list without a segment while it has none of this start. What it lists of
   * the start before is nothing for those who come now.
   */
  joined(playlist: string): string {
    const running = this.#running;
    if (!running) return playlist;
    const now = this.#now(running);
    // by then it is the clock that was set, by which the media server names its segments
    const joined = joinedPlaylist(running.run, playlist, now, now >= running.until);
    if (!joined) return running.run.joined ? playlist : seedPlaylist(now, running.run.target);
    const isNew = running.run.joined === null;
    running.run = joined.run;
    if (isNew) this.#run(running);
    return joined.playlist;
  }

  /** The playlist while the media server has none; null: no slate is shown. */
  async playlist(): Promise<HlsFile | null> {
    const stream = this.#running && this.#stream.stream;
    // without a picture there is nothing to list; one that could not be made, or that an earlier web app made, is made now
    if (!stream || !await this.#segments(stream)) return null;
    const running = this.#running;
    if (!running || running.run.joined) return null;
    const now = this.#now(running);
    if (now >= running.until) return null;
    const { playlist, run } = slatePlaylist(running.run, now);
    running.run = run;
    const text = this.#breaks.numbered(playlist);
    return { type: "application/vnd.apple.mpegurl", etag: null, bytes: new TextEncoder().encode(text), text };
  }

  /** Unix ms of a segment that this slate has listed; null for every other name. */
  timeOf(name: string): number | null {
    const sequence = slateSequence(name);
    return sequence === null || !this.#running ? null : slateTime(this.#running.run, sequence);
  }

  /** A segment of the slate; null for every other name. */
  async segment(name: string): Promise<HlsFile | null> {
    const sequence = slateSequence(name);
    const segments = sequence === null ? null : await this.#made?.segments;
    if (!segments || sequence === null) return null;
    return { type: "video/mp2t", etag: null, bytes: segments.segment(sequence), text: null };
  }

  /** Makes nothing ahead any more; resolves when nothing is being made. */
  stop(): Promise<void> {
    this.#isOver = true;
    return this.settled();
  }

  /** Resolves when nothing is being made. */
  async settled(): Promise<void> {
    await this.#preparing;
    await this.#made?.segments;
  }

  #run(entry: SlateEntry): void {
    this.#running = entry;
    this.#ground.slates.set(this.#stream.id, entry);
    void this.#ground.slates.save();
  }

  /** Unix ms, if nobody had set the clock since the run began. */
  #now({ begin }: SlateEntry): number {
    return begin + this.#ground.machine.elapsed();
  }

  #segments(stream: Shown): Promise<SlateSegments | null> {
    const isHeld = this.#running?.isHeld === true;
    const look = JSON.stringify([stream.name, stream.scale, isHeld]);
    if (this.#made?.look === look) return this.#made.segments;
    const segments = this.#make({ ...stream, isHeld }).catch((error) => {
      log("warn", "no slate", { stream: stream.id, error: errorText(error) });
      // the next viewer is another try
      if (this.#made?.segments === segments) this.#made = null;
      return null;
    });
    this.#made = { look, segments };
    return segments;
  }

  async #make(stream: Shown & SlateLook): Promise<SlateSegments> {
    const { webDir: folder, machine, limits } = this.#ground;
    const name = `slate-${stream.id}-${crypto.randomUUID().slice(0, 8)}.ass`;
    const path = join(folder, name);
    try {
      await Deno.writeTextFile(path, slateSubtitles(stream), { mode: 0o600 });
      const options = { cwd: folder, timeoutMs: limits.slateMakeMs, maxOutput: MAX_BYTES };
      const { code, stdout, stderr } = await machine.runBytes(slateCommand(stream, name), options);
      if (code !== 0) throw new Error(stderr.trim().slice(-300) || `ffmpeg ended with ${code}`);
      return new SlateSegments(stdout);
    } finally {
      await Deno.remove(path).catch(() => {});
    }
  }
}

/** A kept entry, after a restart of the web app. */
function resumed(kept: SlateEntry, { machine: { now, elapsed }, limits }: ChannelGround): SlateEntry {
  const { run, until } = kept;
  return {
    ...kept,
    // how many of its segments were still listed is not known, and a segment that has left the list cannot come back
    run: run.joined ? { ...run, listed: run.joined.at } : run,
    // the clock may have been set meanwhile
    until: Math.min(until, now() + limits.slateMs),
    begin: now() - elapsed(),
  };
}
