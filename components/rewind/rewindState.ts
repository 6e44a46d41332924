/**
 * The time of a page of the past: its moment, the bar's window, stepping and playing, for all channels that the page shows.
 * A stream's page is a wall of one. Moments are Unix times in s.
 */
import { MOST_LISTED, type Speed, SPEEDS } from "../../lib/model/past.ts";
import type { WallGrid } from "../../lib/model/wall/layout.ts";
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { problemOf } from "../client/api.ts";
import { connectionAfter, wayBack } from "../client/connection.ts";
import { serverNow } from "../client/serverClock.ts";
import { Channel, type ChannelParts, NEWEST } from "./channel.ts";
import { playFilms } from "./films.ts";
import { commonGaps, mergedChanges } from "./merged.ts";
import { ChangeFinder } from "./nextChange.ts";
import type { Changes, Range, Slot } from "./past.ts";
import type { Run } from "./run.ts";
import { playSmallFilms } from "./smallFilms.ts";
import { Turns } from "./turns.ts";
import { windowFor, type Zoom, ZOOM_NAMES, ZOOMS } from "./windows.ts";

/** Seconds between questions: at the newest moment, and elsewhere. */
const ASK_LIVE = 2;
const ASK_EDGE = 15;
/** A wall of many asks about so many of its channels a second, in turn. */
const ASKED_A_SECOND = 2;
/** A browser lets no page write its address more often. */
const ADDRESS_MS = 350;
const NOTE_MS = 5000;

/**
 * So many films are made on demand in time, one after the other, and decoded beside each other (docs/decisions/rewind.md
 * has what they take). More channels, and faster ones, are shown in small pictures, as slots are small then.
 */
const MOST_FILMS: Readonly<Record<Speed, number>> = { 1: 9, 10: 4, 60: 1 };

export interface RewindParts {
  channels: readonly ChannelParts[];
  /** Which of them is where on a wall. */
  grid: WallGrid;
  isWall: boolean;
  /** Null: the newest. */
  at: number | null;
  /** The address of hls.js. */
  library: string;
  /** The page's address. @param at its moment; absent: the newest. */
  address: (at?: number) => string;
}

/** What the pointer is at. */
export interface Pointed {
  at: number;
  isDragged: boolean;
}

export interface Problem {
  text: string;
  /** To a new session. */
  way: ReturnType<typeof wayBack>;
}

export class Rewind {
  readonly channels: readonly Channel[];
  /** The channel of a stream's page; null on a wall. */
  readonly one: Channel | null;
  readonly grid: WallGrid;
  readonly address: RewindParts["address"];
  readonly now = signal(Math.floor(serverNow() / 1000));
  /** Null: the newest, which goes on. */
  readonly moment = signal<number | null>(null);
  readonly zoom = signal<Zoom>("day");
  readonly window = signal<Range>({ start: 0, end: 1 });
  readonly pointed = signal<Pointed | null>(null);
  /** The speed; 0: it stands. */
  readonly playing = signal(0);
  readonly speed = signal<number>(SPEEDS[0]);
  /** Whether what changed last is framed, and whether the second before it is shown. */
  readonly isFraming = signal(false);
  readonly isBefore = signal(false);
  /** A sentence about what was asked for. */
  readonly note = signal("");
  /** The moment that was last gone to, for screen readers. */
  readonly arrived = signal<number | null>(null);
  readonly problem = signal<Problem | null>(null);
  /** From the first to the last second that is kept of any; null: nothing. Undefined: not known yet. */
  readonly kept = computed(() => {
    const all = this.channels.map(({ kept }) => kept.value);
    const known = all.filter((kept) => !!kept);
    if (known.length === 0) return all.every((kept) => kept === null) ? null : undefined;
    return {
      start: Math.min(...known.map(({ start }) => start)),
      end: Math.max(...known.map(({ end }) => end)),
    };
  });
  /** What the bar shows: the changes of all that have told theirs. */
  readonly changes = computed(() => {
    const told = this.#told.value;
    return told.length === 0 ? this.#lastChanges : this.#lastChanges = mergedChanges(told);
  });
  readonly gaps = computed(() => commonGaps(this.#told.value.map(({ channel }) => channel.gaps.value)));
  /** The moment that the words and the cursor are about; null: not known yet. */
  readonly at = computed(() => {
    const pointed = this.pointed.value;
    return pointed?.isDragged ? pointed.at : this.moment.value ?? this.newest;
  });
  /** The last change of all that is shown; null: not known yet. */
  readonly since = computed(() => {
    const all = this.channels.filter(({ noPicture }) => noPicture.value === null);
    const times = all.map(({ shown }) => shown.value?.since ?? -1);
    return times.length === 0 || times.includes(-1) ? null : Math.max(...times);
  });
  /** Whose change that is. */
  readonly changed = computed(() =>
    this.channels.filter(({ noPicture, shown }) =>
      noPicture.value === null && this.since.value !== null && shown.value?.since === this.since.value
    )
  );
  #turns = new Turns();
  #noteTimer: ReturnType<typeof setTimeout> | undefined;
  #run: Run | null = null;
  #isSmall = signal(false);
  #finder: ChangeFinder;
  #steps = 0;
  #isStepping = false;
  #lastChanges: Changes | null = null;
  #askedAt = 0;
  #sinceAsked = 0;
  /** Whose failure is told. */
  #failed: Channel | null = null;
  #addressTimer: ReturnType<typeof setTimeout> | undefined;
  #told = computed(() => {
    const { scale } = ZOOMS[this.zoom.value];
    const { start, end } = this.window.value;
    return this.channels.flatMap((channel) => {
      const known = channel.changes.value;
      const isOfWindow = known?.scale === scale && known.start < end && known.end > start;
      return isOfWindow ? [{ channel, name: channel.name, known }] : [];
    });
  });

  constructor({ channels, grid, isWall, at, library, address }: RewindParts) {
    this.grid = grid;
    this.address = address;
    this.moment.value = at;
    this.zoom.value = at === null ? "day" : "hour";
    this.window.value = windowFor(this.zoom.value, at, this.now.value);
    this.channels = channels.map((parts) =>
      new Channel(parts, at, {
        now: this.now,
        turns: this.#turns,
        library,
        wantedOf: (channel) => this.#wantedOf(channel),
        isFraming: (channel) => this.isFraming.value && this.changed.value.includes(channel),
        fail: (error, channel) => this.#fail(error, channel),
      })
    );
    this.one = isWall ? null : this.channels[0];
    this.#finder = new ChangeFinder(async (range, scale) =>
      mergedChanges(
        await Promise.all(this.channels.map(async (channel) => ({
          name: channel.name,
          known: await channel.read(range, scale),
        }))),
      )
    );
  }

  /** The newest second that is kept; null: there is none. */
  get newest(): number | null {
    return this.kept.value ? this.kept.value.end - 1 : null;
  }

  /** Begins to ask. @returns the end of it. */
  start(): () => void {
    this.channels.forEach((channel) => void channel.afterFirst().then(() => channel.load()));
    this.#windowChanged();
    this.channels.forEach((channel) => void this.#ask(channel));
    const timer = setInterval(() => this.#tick(), 1000);
    const endFrames = effect(() => {
      void [this.isFraming.value, this.changed.value];
      untracked(() => this.channels.forEach((channel) => void channel.frame()));
    });
    return () => {
      clearInterval(timer);
      clearTimeout(this.#addressTimer);
      endFrames();
      this.#run?.stop();
      this.channels.forEach(({ film }) => film.stop());
    };
  }

  channelOf(id: string | null): Channel | undefined {
    return this.channels.find((channel) => channel.id === id);
  }

  /** The moment of a channel's small picture, where one is shown instead of its picture; null: none is. */
  smallAt(channel: Channel): number | null {
    const { at: { value: at }, playing: { value: speed } } = this;
    if (at === null || !this.#isPictureOld(channel, at)) return null;
    // what is played is in step: no picture is older than a second of the film
    return speed === 0 || channel.isDrawn(at, speed) ? at : null;
  }

  /** Whether what a channel shows is of another moment, and no small picture of this one is there. */
  isOld(channel: Channel): boolean {
    const { at: { value: at }, playing: { value: speed } } = this;
    if (at === null || !this.#isPictureOld(channel, at)) return false;
    return speed === 0
      ? !channel.hasSmall(at)
      : channel.shown.value?.at !== at && !channel.isDrawn(at, speed);
  }

  /** Whether neither picture nor film are of the moment. */
  #isPictureOld({ isLate, isFilm, shown }: Channel, at: number): boolean {
    if (this.pointed.value?.isDragged) return true;
    if (this.playing.value === 0) return isLate.value && !isFilm.value;
    return this.#isSmall.value || !isFilm.value && shown.value?.at !== at;
  }

  /** Shows a moment; null: the newest. @param isCoarse whether small pictures are shown until the others are there. */
  go(at: number | null, isCoarse = false): void {
    this.#halt();
    const { newest } = this;
    const isNewest = at !== null && newest !== null && at > newest && at <= this.now.value;
    this.#moveTo(isNewest ? null : at);
    this.#load(isCoarse);
  }

  /** Shows the first change of a slot. */
  async goToSlot({ start }: Pick<Slot, "start">): Promise<void> {
    const { kept: { value: within }, changes: { value: changes } } = this;
    if (!within || changes?.scale === 1) return this.go(start);
    try {
      this.go(await this.#finder.find(start - 1, false, within) ?? start);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Goes so many seconds on or back. */
  move(seconds: number): void {
    const from = this.moment.value ?? this.newest;
    if (from === null || seconds > 0 && this.moment.value === null) return;
    this.go(Math.max(from + seconds, this.kept.value?.start ?? 0));
  }

  /** Goes to the next change, or the one before; calls while it looks are counted. */
  async step(isBack: boolean): Promise<void> {
    this.#steps += isBack ? -1 : 1;
    if (this.#isStepping) return;
    this.#isStepping = true;
    try {
      while (this.#steps !== 0) {
        const isBack = this.#steps < 0;
        this.#steps += isBack ? 1 : -1;
        await this.#stepOnce(isBack);
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#steps = 0;
      this.#isStepping = false;
    }
  }

  async #stepOnce(isBack: boolean): Promise<void> {
    const within = this.kept.value;
    if (!within || !isBack && this.moment.value === null) return;
    // at the newest, what is shown is the last change
    const from = this.moment.value ?? (this.since.value ?? within.end);
    const found = await this.#finder.find(Math.min(from, within.end), isBack, within);
    if (found !== null) return this.go(found);
    if (isBack) this.say("No change is kept before this one.");
    else this.go(null);
  }

  zoomTo(zoom: Zoom): void {
    this.zoom.value = zoom;
    this.window.value = windowFor(zoom, this.moment.value, this.now.value);
    this.#windowChanged();
  }

  /** @param by 1: nearer, -1: farther. */
  zoomBy(by: 1 | -1): void {
    const next = ZOOM_NAMES[ZOOM_NAMES.indexOf(this.zoom.value) + by];
    if (next) this.zoomTo(next);
  }

  play(): void {
    const start = this.moment.value;
    const newest = this.kept.value?.end ?? this.now.value;
    if (start === null || start >= newest - 1) {
      return this.say("This is live: go back first, then play from there.");
    }
    const { value: speed } = this.speed;
    this.playing.value = speed;
    const end = Math.min(start + MOST_LISTED, newest);
    // a television has decoders for one or two films
    const isTv = document.documentElement.dataset.tv !== undefined;
    // a film plays in one slot, and a small picture is drawn in each that has the stream
    const isRepeated = this.grid.slots.filter(({ stream }) => stream !== null).length > this.channels.length;
    const isSmall = isRepeated || this.channels.length > (isTv ? 1 : MOST_FILMS[speed as Speed]);
    this.#isSmall.value = isSmall;
    this.#run?.stop();
    if (!this.one) {
      this.#turns.setPlaying(true);
      this.channels.forEach(({ sheets }) => sheets.drop());
    }
    this.#run = (isSmall ? playSmallFilms : playFilms)({
      channels: this.channels,
      start,
      end,
      speed,
      gapAt: (at) => this.gaps.value.find((gap) => at >= gap.start && at < gap.end),
      onmoment: (at) => {
        if (this.playing.value > 0 && at !== this.moment.value) this.#moveTo(at);
      },
      onend: () => this.#runEnded(end),
      onfail: (text) => {
        this.problem.value = { text, way: null };
        this.pause();
      },
    });
  }

  pause(): void {
    this.#halt();
    this.#load(this.#isSmall.value);
  }

  toggle(): void {
    if (this.playing.value) this.pause();
    else this.play();
  }

  async setSpeed(speed: number): Promise<void> {
    const isPlaying = this.playing.value > 0;
    this.speed.value = speed;
    if (!isPlaying) return;
    // another list: its moment stands while it is loaded, and on a wall a small picture of it
    this.#halt();
    await this.one?.load();
    this.play();
  }

  /** Frames what changed with the shown pictures, or stops that. */
  toggleFrames(): void {
    this.isFraming.value = !this.isFraming.value;
    this.#endBefore();
  }

  /** Shows the second before the last change, or stops that. */
  async showBefore(isWanted: boolean): Promise<void> {
    if (!isWanted) return this.#endBefore();
    const { value: changed } = this.changed;
    if (changed.length === 0) return;
    try {
      const all = await Promise.all(changed.map((channel) => channel.showBefore(true)));
      this.isBefore.value = all.includes(true);
      if (!this.isBefore.value) this.say("The second before is not kept.");
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Shows a sentence for some seconds. */
  say(text: string): void {
    this.note.value = text;
    clearTimeout(this.#noteTimer);
    this.#noteTimer = setTimeout(() => this.note.value = "", NOTE_MS);
  }

  #endBefore(): void {
    this.isBefore.value = false;
    this.channels.forEach((channel) => channel.before.value = null);
  }

  #wantedOf(channel: Channel): number | null {
    if (this.playing.value > 0) return null;
    const { moment: { value: moment }, newest } = this;
    if (moment !== null || newest === null) return moment;
    // what one has not written yet is not missed
    return channel.newest !== null && newest - channel.newest < NEWEST ? channel.newest : newest;
  }

  #load(isCoarse = false): void {
    this.channels.forEach((channel) => void channel.load({ isCoarse }));
  }

  #fail(error: unknown, channel: Channel | null = null): void {
    this.#failed = channel;
    const name = channel && !this.one ? `${channel.name}: ` : "";
    this.problem.value = { text: name + problemOf(error), way: wayBack(connectionAfter(error)) };
  }

  #halt(): void {
    if (this.playing.value === 0) return;
    this.playing.value = 0;
    this.#run?.stop();
    this.#run = null;
    if (this.one) return;
    this.#turns.setPlaying(false);
    this.channels.forEach(({ sheets }) => sheets.want(this.window.value));
  }

  #moveTo(at: number | null): void {
    batch(() => {
      this.moment.value = at;
      this.#endBefore();
      this.#placeWindow();
    });
    if (this.#addressTimer !== undefined) return;
    this.#addressTimer = setTimeout(() => {
      this.#addressTimer = undefined;
      if (this.playing.value === 0) this.arrived.value = this.at.value;
      history.replaceState(history.state, "", this.address(this.moment.value ?? undefined));
    }, ADDRESS_MS);
  }

  #placeWindow(): void {
    const { value: last } = this.window;
    const next = windowFor(this.zoom.value, this.moment.value, this.now.value, last);
    if (next.start === last.start && next.end === last.end) return;
    this.window.value = next;
    // a window that goes on with the time is asked for again as often as channels are
    const isMovedOn = Math.abs(next.start - last.start) <= ZOOMS[this.zoom.value].scale;
    if (isMovedOn && this.now.value - this.#askedAt < this.channels.length / ASKED_A_SECOND) return;
    this.#windowChanged();
  }

  #tick(): void {
    this.now.value = Math.floor(serverNow() / 1000);
    if (document.hidden) return;
    if (!this.pointed.value?.isDragged) this.#placeWindow();
    const isLive = this.moment.value === null;
    const often = Math.max(ASK_LIVE, this.channels.length / ASKED_A_SECOND);
    if (++this.#sinceAsked >= (isLive ? often : ASK_EDGE)) {
      this.#sinceAsked = 0;
      this.channels.forEach((channel) => void this.#ask(channel));
    }
  }

  /** A failure is told, and asked again. */
  async #ask(channel: Channel): Promise<void> {
    const wasKnown = !!channel.kept.value;
    try {
      const isNew = await channel.ask();
      if (this.#failed === null || this.#failed === channel) this.problem.value = null;
      const isFirst = !wasKnown && !!channel.kept.value;
      if (isFirst || this.moment.value === null && (isNew || !wasKnown)) await channel.load({ isNew });
    } catch (error) {
      this.#fail(error, channel);
    }
  }

  /** Loads what the bar shows of its window, and its small pictures. */
  #windowChanged(): void {
    const { value: window } = this.window;
    const { scale } = ZOOMS[this.zoom.value];
    this.#askedAt = this.now.value;
    for (const channel of this.channels) {
      void channel.readWindow(window, scale);
      channel.sheets.want(window);
    }
  }

  /** The next list, or the newest at the end of all. @param end of the one that has ended. */
  #runEnded(end: number): void {
    if (end < (this.kept.value?.end ?? 0) - 1) {
      this.#moveTo(end);
      return this.play();
    }
    this.go(null);
    this.say("This is live: the film has reached the newest picture.");
  }
}
