/** What the page of a stream's past shows, and what can be done there. Moments are Unix times in s. */
import { MOST_LISTED, SPEEDS } from "../../lib/model/past.ts";
import { batch, computed, signal } from "@preact/signals";
import { problemOf } from "../client/api.ts";
import { connectionAfter, wayBack } from "../client/connection.ts";
import { serverNow } from "../client/serverClock.ts";
import { trueGaps } from "./bars.ts";
import { Film } from "./film.ts";
import { ChangeFinder } from "./nextChange.ts";
import {
  type Changes,
  filmAddress,
  type NoPicture,
  type PastPicture,
  pictureAddress,
  type Range,
  readChanges,
  readKept,
  readPicture,
  type Slot,
} from "./past.ts";
import { rewindLink } from "../../lib/model/links.ts";
import { Sheets } from "./sheets.ts";
import { windowFor, type Zoom, ZOOM_NAMES, ZOOMS } from "./windows.ts";

/** Seconds between questions: at the newest moment, and elsewhere. */
const ASK_LIVE = 2;
const ASK_EDGE = 15;
/** How far back it looks for what is newest. */
const NEWEST = 120;
/** A minute less than the service looks at, whose clock is ahead by the way there. */
const REACH = 7 * 86_400 - 60;
/** A browser lets no page write its address more often. */
const ADDRESS_MS = 350;
const NOTE_MS = 5000;

export interface RewindParts {
  id: string;
  /** Null: the newest. */
  at: number | null;
  /** The address of hls.js. */
  library: string;
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
  readonly id: string;
  readonly now = signal(Math.floor(serverNow() / 1000));
  /** Null: the newest, which goes on. */
  readonly moment = signal<number | null>(null);
  readonly zoom = signal<Zoom>("day");
  readonly window = signal<Range>({ start: 0, end: 1 });
  readonly changes = signal<Changes | null>(null);
  /** What is kept, from its first to its last second; null: nothing. Undefined: not known yet. */
  readonly kept = signal<Range | null | undefined>(undefined);
  readonly shown = signal<PastPicture | null>(null);
  readonly noPicture = signal<NoPicture | null>(null);
  readonly pointed = signal<Pointed | null>(null);
  /** The speed; 0: it stands. */
  readonly playing = signal(0);
  readonly speed = signal<number>(SPEEDS[0]);
  /** Whether the film lies over the picture. */
  readonly isFilm = signal(false);
  /** What changed with the shown picture, while that is wanted. */
  readonly framed = signal<Slot | "nothing" | null>(null);
  readonly isFraming = signal(false);
  /** The picture before that change, while it is shown. */
  readonly before = signal<PastPicture | null>(null);
  /** A sentence about what was asked for. */
  readonly note = signal("");
  /** The moment that was last gone to, for screen readers. */
  readonly arrived = signal<number | null>(null);
  readonly problem = signal<Problem | null>(null);
  readonly sheets: Sheets;
  readonly gaps = computed(() => this.changes.value ? trueGaps(this.changes.value, this.now.value) : []);
  /** The moment that the words and the cursor are about; null: not known yet. */
  readonly at = computed(() => {
    const pointed = this.pointed.value;
    return pointed?.isDragged ? pointed.at : this.moment.value ?? this.newest;
  });
  video: HTMLVideoElement | null = null;
  #noteTimer: ReturnType<typeof setTimeout> | undefined;
  #film: Film;
  #finder: ChangeFinder;
  #steps = 0;
  #isStepping = false;
  #isLoading = false;
  #changesFor = "";
  #isAsking = false;
  #sinceAsked = 0;
  #addressTimer: ReturnType<typeof setTimeout> | undefined;

  constructor({ id, at, library }: RewindParts) {
    this.id = id;
    this.moment.value = at;
    this.zoom.value = at === null ? "day" : "hour";
    this.window.value = windowFor(this.zoom.value, at, this.now.value);
    if (at !== null) this.shown.value = { at, since: null, src: pictureAddress(id, at), size: null };
    this.#film = new Film(library);
    this.#finder = new ChangeFinder((range, scale) => readChanges(id, range, scale));
    this.sheets = new Sheets(id);
  }

  /** The newest second that is kept; null: there is none. */
  get newest(): number | null {
    return this.kept.value ? this.kept.value.end - 1 : null;
  }

  /** Begins to ask. @returns the end of it. */
  start(): () => void {
    void this.#afterFirst().then(() => this.#loadPicture());
    void this.#readReach();
    this.#windowChanged();
    const timer = setInterval(() => this.#tick(), 1000);
    return () => {
      clearInterval(timer);
      clearTimeout(this.#addressTimer);
      this.#film.stop();
    };
  }

  /** Shows a moment; null: the newest. */
  go(at: number | null): void {
    this.#halt();
    const { newest } = this;
    const isNewest = at !== null && newest !== null && at > newest && at <= this.now.value;
    this.#moveTo(isNewest ? null : at);
    void this.#loadPicture();
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
    const from = this.moment.value ?? (this.shown.value?.since ?? within.end);
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
    const end = this.kept.value?.end ?? this.now.value;
    if (!this.video) return;
    if (start === null || start >= end - 1) {
      return this.say("This is live: go back first, then play from there.");
    }
    this.playing.value = this.speed.value;
    const list = filmAddress(this.id, start, Math.min(MOST_LISTED, end - start), this.speed.value);
    void this.#film.play(this.video, list, this.speed.value, {
      onmoment: (at) => {
        if (this.playing.value === 0) return;
        this.isFilm.value = true;
        if (at !== this.moment.value) this.#moveTo(at);
      },
      onend: () => this.#filmEnded(start),
      onfail: (problem) => {
        this.problem.value = { text: problem, way: null };
        this.pause();
      },
    });
  }

  pause(): void {
    this.#halt();
    void this.#loadPicture();
  }

  toggle(): void {
    if (this.playing.value) this.pause();
    else this.play();
  }

  async setSpeed(speed: number): Promise<void> {
    const isPlaying = this.playing.value > 0;
    this.speed.value = speed;
    if (!isPlaying) return;
    // another list: its moment stands while it is loaded
    this.#halt();
    await this.#loadPicture();
    this.play();
  }

  /** Frames what changed with the shown picture, or stops that. */
  async toggleFrames(): Promise<void> {
    this.isFraming.value = !this.isFraming.value;
    this.before.value = null;
    await this.#readFrames();
  }

  /** Shows the second before the shown picture's change, or stops that. */
  async showBefore(isWanted: boolean): Promise<void> {
    const since = this.shown.value?.since;
    if (!isWanted || !since) return void (this.before.value = null);
    try {
      const found = await readPicture(this.id, since - 1);
      if (!("src" in found)) this.say("The second before is not kept.");
      else if (this.shown.value?.since === since) this.before.value = found;
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

  /** Waits for the picture that the page came with, so that it is not made twice. */
  async #afterFirst(): Promise<void> {
    const image = document.querySelector<HTMLImageElement>("img.rewind-picture");
    if (!image || image.complete) return;
    await new Promise((done) => {
      image.addEventListener("load", done, { once: true });
      image.addEventListener("error", done, { once: true });
    });
  }

  #fail(error: unknown): void {
    this.problem.value = { text: problemOf(error), way: wayBack(connectionAfter(error)) };
  }

  #halt(): void {
    if (this.playing.value === 0) return;
    this.playing.value = 0;
    this.video?.pause();
  }

  #moveTo(at: number | null): void {
    batch(() => {
      this.moment.value = at;
      this.before.value = null;
      this.#placeWindow();
    });
    if (this.#addressTimer !== undefined) return;
    this.#addressTimer = setTimeout(() => {
      this.#addressTimer = undefined;
      if (this.playing.value === 0) this.arrived.value = this.at.value;
      history.replaceState(history.state, "", rewindLink(this.id, this.moment.value ?? undefined));
    }, ADDRESS_MS);
  }

  #placeWindow(): void {
    const { value: last } = this.window;
    const next = windowFor(this.zoom.value, this.moment.value, this.now.value, last);
    if (next.start === last.start && next.end === last.end) return;
    this.window.value = next;
    this.#windowChanged();
  }

  #tick(): void {
    this.now.value = Math.floor(serverNow() / 1000);
    if (document.hidden) return;
    if (!this.pointed.value?.isDragged) this.#placeWindow();
    const isLive = this.moment.value === null;
    if (++this.#sinceAsked >= (isLive ? ASK_LIVE : ASK_EDGE)) {
      this.#sinceAsked = 0;
      void (this.kept.value ? this.#readNewest(isLive) : this.#readReach());
    }
  }

  async #readReach(): Promise<void> {
    await this.#ask(async () => {
      this.kept.value = await readKept(this.id, this.now.value - REACH);
    });
    if (this.moment.value === null) await this.#loadPicture();
  }

  async #readNewest(isLive: boolean): Promise<void> {
    await this.#ask(async () => {
      const end = this.now.value;
      const { slots, gaps } = await readChanges(this.id, { start: end - NEWEST, end }, 1);
      const last = gaps.at(-1);
      const newest = last && last.end >= end ? last.start : end;
      const kept = this.kept.value!;
      if (newest > end - NEWEST && newest > kept.end) this.kept.value = { ...kept, end: newest };
      const since = this.shown.value?.since ?? 0;
      if (isLive && slots.some(({ start, share }) => share > 0 && start > since)) {
        await this.#loadPicture(true);
      }
    });
  }

  /** One question at a time; a failure is told, and asked again. */
  async #ask(question: () => Promise<void>): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      await question();
      this.problem.value = null;
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isAsking = false;
    }
  }

  /** Loads the wanted picture, and then the one that is wanted by then. @param isNew whether there is another by now. */
  async #loadPicture(isNew = false): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      for (let done: number | null = isNew ? null : -1;;) {
        const wanted = this.moment.value ?? this.newest;
        if (wanted === null || wanted === done || this.playing.value > 0) break;
        const { value: shown } = this.shown;
        const isShown = done === -1 && shown?.at === wanted && shown.size !== null;
        if (!isShown) await this.#showPicture(wanted);
        done = wanted;
      }
      if (this.playing.value === 0 && this.isFilm.value) {
        this.isFilm.value = false;
        this.#film.stop();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isLoading = false;
    }
  }

  async #showPicture(at: number): Promise<void> {
    let found = await readPicture(this.id, at);
    // the newest seconds may not be written yet
    const isNewest = "text" in found && found.reason === null && found.after === null &&
      at > this.now.value - NEWEST && at <= this.now.value;
    if (isNewest && "text" in found && found.before !== null) {
      found = await readPicture(this.id, found.before);
    }
    if ("text" in found) {
      this.noPicture.value = found;
      return;
    }
    const { value: last } = this.shown;
    batch(() => {
      this.shown.value = found;
      this.noPicture.value = null;
    });
    if (last?.src.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(last.src), 1000);
    if (this.isFraming.value) void this.#readFrames();
  }

  async #readFrames(): Promise<void> {
    const since = this.shown.value?.since;
    if (!this.isFraming.value || !since) return void (this.framed.value = null);
    if (this.framed.value !== "nothing" && this.framed.value?.start === since) return;
    try {
      const { slots: [slot] } = await readChanges(this.id, { start: since, end: since + 1 }, 1);
      if (this.shown.value?.since === since) this.framed.value = slot?.share ? slot : "nothing";
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Loads what the bar shows of its window, and its small pictures. */
  #windowChanged(): void {
    const { value: window } = this.window;
    const key = `${window.start} ${window.end}`;
    if (this.#changesFor === key) return;
    this.#changesFor = key;
    const { scale } = ZOOMS[this.zoom.value];
    readChanges(this.id, window, scale).then(
      (changes) => {
        if (this.#changesFor === key) this.changes.value = changes;
      },
      (error) => {
        this.#changesFor = "";
        this.#fail(error);
      },
    );
    this.sheets.want(window);
  }

  /** The next list, or the newest at the end of all. @param start of the one that has ended. */
  #filmEnded(start: number): void {
    const end = Math.min(start + MOST_LISTED, this.kept.value?.end ?? 0);
    if (end < (this.kept.value?.end ?? 0) - 1) {
      this.#moveTo(end);
      return this.play();
    }
    this.go(null);
    this.say("This is live: the film has reached the newest picture.");
  }
}
