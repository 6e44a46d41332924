/** The streams' past for those who ask: what is kept, pictures of a moment, sheets of small ones, and film. */
import { MOST_LISTED, SHEET_PICTURES, timeText } from "../model/past.ts";
import { refuseRole } from "../door/roles.ts";
import type { Size } from "../display/capture/picture.ts";
import type { Machine } from "../machine/machine.ts";
import type { StreamEvent } from "../model/answers/shapes.ts";
import type { StreamId } from "../model/id.ts";
import { streamLinks } from "../model/links.ts";
import type { PastElsewhere } from "../store/pieces.ts";
import { maySeePast } from "../model/shown_stream.ts";
import type { Role } from "../role.ts";
import { askedFilm } from "./catchup.ts";
import { changesOf, eventsOf, whyAnswer } from "./changes.ts";
import { pictureCommand, segmentCommand, sheetCommand } from "./commands.ts";
import type { Feed } from "./feed.ts";
import { filmList, SEGMENT_SECONDS } from "./film.ts";
import { Making } from "./making.ts";
import { noFilm, noPicture, nothingBetween } from "./nothing.ts";
import { Past } from "./past.ts";
import { askedNumber, askedRange, askedSlots, askedSpeed, askedTime, type Range } from "./query.ts";
import { pieceFile } from "./recorder/piece.ts";
import { shownAt, type Stretch, stretchAt, type Timeline, type Why } from "./timeline.ts";

/** What is older than this does not change any more, in s. */
const SETTLED_SECONDS = 10;

/** Seconds from one small picture to the next. */
const STEPS = [1, 3600] as const;

export interface RewindParts {
  /** It has a folder for each stream. */
  folder: string;
  machine: Pick<Machine, "runBytes" | "now">;
  /** What other nodes keep; absent: this machine is alone. */
  elsewhere?: PastElsewhere;
}

export class Rewind {
  #parts: RewindParts;
  #making: Making;

  constructor(parts: RewindParts) {
    this.#parts = parts;
    this.#making = new Making(parts.machine);
  }

  /** A stream's past. @param signal of who asks. @throws {ServiceError} 403 for a role that may not see it. */
  of(stream: { id: StreamId; rewindFor?: unknown }, role: Role, signal?: AbortSignal): StreamPast {
    if (!maySeePast(role, stream)) refuseRole(role, "operator");
    const { folder, machine, elsewhere } = this.#parts;
    const past = new Past(folder, elsewhere, signal);
    return new StreamPast(stream.id, past, this.#making, Math.floor(machine.now() / 1000));
  }

  /** Since when something of a stream is kept, Unix ms, as far as this machine knows without asking; null: nothing is. */
  async since(id: StreamId): Promise<number | null> {
    const { folder, elsewhere } = this.#parts;
    const [begin] = elsewhere?.stays(id) ?? [];
    const [first] = await new Past(folder).windows(id);
    if (begin && !begin.isHere) return begin.since;
    return first ? first.start * 1000 : begin?.since ?? null;
  }
}

export interface Made {
  bytes: Uint8Array<ArrayBuffer>;
  /** Unix time in s since which it was so. */
  since: number;
  /** Whether it cannot change any more. */
  isSettled: boolean;
}

/** The answers of a stream's past. They throw {ServiceError}s: 400 for a bad query, 404 where nothing is kept. */
export class StreamPast {
  #id: StreamId;
  #past: Past;
  #making: Making;
  /** Unix time in s: nothing from it on is kept. */
  #now: number;

  constructor(id: StreamId, past: Past, making: Making, now: number) {
    this.#id = id;
    this.#past = past;
    this.#making = making;
    this.#now = now;
  }

  /** What is kept between `start` and `end`. @param base what addresses begin with. */
  async spans(query: URLSearchParams, base: string) {
    const { start, end } = askedRange(query, this.#now);
    const list = base + streamLinks(this.#id).pastList;
    return (await this.#timeline(start, end)).spans.map(({ start, end, ...why }) => ({
      start: timeText(start),
      duration: end - start,
      url: `${list}?start=${start}&duration=${Math.min(end - start, MOST_LISTED)}`,
      ...whyAnswer(why),
    }));
  }

  /** What changed in the slots of `scale` seconds between `start` and `end`. @param events all that the client may read. */
  async changes(query: URLSearchParams, events: readonly StreamEvent[]) {
    const asked = askedSlots(query, this.#now);
    return changesOf(await this.#timeline(asked.start, asked.end), asked, events);
  }

  /** What was shown `at` a moment, as a JPEG. @throws {ProcessError} when ffmpeg fails. */
  async picture(query: URLSearchParams, signal: AbortSignal): Promise<Made> {
    const at = askedTime(query, "at");
    const windows = await this.#past.windows(this.#id, at, at + 1);
    const timeline = await this.#past.timeline(this.#id, windows, at, Math.min(at + 1, this.#now));
    const stretch = stretchAt(timeline, at);
    if (!stretch) throw noPicture(at, this.#now, whyOf(timeline), await this.#nearest(at));
    const feeds = [this.#feed(stretch, at)];
    const { at: second } = feeds[0].last;
    const [bytes, since] = await Promise.all([
      this.#making.make({
        kind: "picture",
        key: `${keyOf(feeds)} ${second}`,
        command: pictureCommand(second),
        feeds,
        until: null,
        signal,
      }),
      this.#past.since(this.#id, windows, stretch, at),
    ]);
    return { bytes, since, isSettled: true };
  }

  /** The HLS list of what players are to be shown. @param events all that the client may read. */
  async list(query: URLSearchParams, events: readonly StreamEvent[]): Promise<string> {
    const asked = askedFilm(query, this.#now);
    const { start, end } = asked;
    const timeline = await this.#timeline(start, end);
    if (timeline.spans.length === 0) {
      throw noFilm(asked, this.#now, whyOf(timeline), await this.#nearest(start));
    }
    return filmList(timeline, start, eventsOf(events, asked), askedSpeed(query));
  }

  /** A segment of such a list, which begins at `from`: MPEG-TS. @throws {ProcessError} when ffmpeg fails. */
  async segment(query: URLSearchParams, signal: AbortSignal): Promise<Made> {
    const start = askedTime(query, "start");
    const speed = askedSpeed(query);
    const seconds = askedNumber(query, "duration", [1, SEGMENT_SECONDS[speed]]);
    const timestamp = start - askedTime(query, "from", start);
    const end = start + seconds;
    const { spans: [span] } = await this.#timeline(start, end);
    const isThere = span?.start === start && span.end === end;
    if (!isThere || timestamp < 0 || timestamp > MOST_LISTED) throw nothingBetween(start, end);
    const feeds = span.stretches.map((stretch) => this.#feed(stretch, stretch.end - 1));
    const command = segmentCommand({ start, seconds, speed }, timestamp / speed);
    const key = `${keyOf(feeds)} ${start} ${seconds} ${timestamp} ${speed}`;
    const bytes = await this.#making.make({ kind: "film", key, command, feeds, until: end, signal });
    return { bytes, since: start, isSettled: true };
  }

  /** The sheet of small pictures at `start` and each `step` seconds later, as a JPEG. @throws {ProcessError} when ffmpeg fails. */
  async sheet(query: URLSearchParams, signal: AbortSignal): Promise<Made> {
    const start = askedTime(query, "start");
    const step = askedNumber(query, "step", STEPS);
    const times = Array.from({ length: SHEET_PICTURES }, (_, number) => start + number * step);
    const end = start + SHEET_PICTURES * step;
    const windows = (await this.#past.windows(this.#id, start, end))
      .filter((window) => times.some((time) => window.start <= time && time < window.end));
    const timeline = await this.#past.timeline(this.#id, windows, start, Math.min(end, this.#now));
    const missing: number[] = [];
    const lastOf = new Map<Stretch, number>();
    times.forEach((time, number) => {
      const stretch = stretchAt(timeline, time);
      if (stretch) lastOf.set(stretch, time);
      else missing.push(number);
    });
    if (lastOf.size === 0) throw nothingBetween(start, end);
    // a key frame that is less than a step older is near enough, and only it is decoded
    const feeds = Array.from(
      lastOf,
      ([stretch, time]) =>
        this.#feed(stretch, time - stretch.piece.start < step ? stretch.piece.start : time),
    );
    const isSettled = end < this.#now - SETTLED_SECONDS;
    const key = isSettled ? `${keyOf(feeds)} ${start} ${step} sheet` : null;
    const command = sheetCommand(start, step, missing);
    const bytes = await this.#making.make({ kind: "film", key, command, feeds, until: end, signal });
    return { bytes, since: start, isSettled };
  }

  /** All of a time that is kept, without its gaps, for a film. @throws {ServiceError} 404 where nothing is. */
  async film(range: Range): Promise<{ feeds: Feed[]; start: number; seconds: number; size: Size }> {
    const { start, end } = range;
    const timeline = await this.#timeline(start, end);
    const [first] = timeline.spans;
    if (!first) throw nothingBetween(start, end);
    let seconds = 0;
    const feeds = timeline.spans.flatMap((span) => {
      const shift = span.start - first.start - seconds;
      seconds += span.end - span.start;
      return span.stretches.map((stretch) => ({
        ...this.#feed(stretch, stretch.end - 1),
        startAs: stretch.piece.start - shift,
      }));
    });
    return { feeds, start: first.start, seconds, size: first.stretches[0].piece.size };
  }

  async #timeline(start: number, end: number): Promise<Timeline> {
    return await this.#past.timeline(
      this.#id,
      await this.#past.windows(this.#id, start, end),
      start,
      Math.min(end, this.#now),
    );
  }

  async #nearest(at: number) {
    return await this.#past.nearest(this.#id, await this.#past.windows(this.#id), at, this.#now);
  }

  /** What has to be decoded for the picture of a time. */
  #feed(stretch: Stretch, at: number): Feed {
    const { piece, node } = stretch;
    return {
      key: `${node ?? ""}/${this.#id}/${pieceFile(piece)}`,
      read: (from, to, signal) => this.#past.video(this.#id, stretch, from, to, signal),
      piece,
      last: shownAt(piece, at)!,
    };
  }
}

/** Names the pieces: those of a stream that was deleted are others. */
function keyOf(feeds: readonly Feed[]): string {
  return feeds.map(({ key }) => key).join(" ");
}

/** Why the end of a time is not kept. */
function whyOf({ gaps }: Timeline): Why {
  return gaps.at(-1) ?? { reason: null };
}
