/** What is known and shown of one channel's past: its pictures, small ones too, and its film. Moments are Unix times in s. */
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import { trueGaps } from "./bars.ts";
import { Film } from "./film.ts";
import type { WhyNothing } from "../../lib/model/past.ts";
import {
  type Changes,
  isBare,
  isQuiet,
  type NoPicture,
  type PastPicture,
  pictureAddress,
  type Range,
  readChanges,
  readKept,
  readPicture,
  type Slot,
} from "./past.ts";
import { type Box, Sheets } from "./sheets.ts";
import type { Turns } from "./turns.ts";

/** How far back it looks for what is newest. */
export const NEWEST = 120;
/** The service answers of 7 days at most, and its clock is ahead of the page's by the way there. */
const REACH = 7 * 86_400 - 60;
/** So long the last picture stays where the next one is on its way, in ms; then a small one is better. */
const LATE_MS = 300;

export interface ChannelParts {
  id: string;
  name: string;
  /** Why nothing new is kept; null: it is. */
  why: WhyNothing | null;
}

/** What the page says to its channels. */
export interface ChannelPage {
  now: ReadonlySignal<number>;
  turns: Turns;
  /** The address of hls.js. */
  library: string;
  /** The moment whose picture a channel is to show; null: none, or a film is played. */
  wantedOf(channel: Channel): number | null;
  isFraming(channel: Channel): boolean;
  fail(error: unknown, channel: Channel): void;
}

export class Channel {
  readonly id: string;
  readonly name: string;
  readonly why: WhyNothing | null;
  /** What is kept, from its first to its last second; null: nothing. Undefined: not known yet. */
  readonly kept = signal<Range | null | undefined>(undefined);
  /** Of the bar's window. */
  readonly changes = signal<Changes | null>(null);
  readonly gaps = computed(() =>
    this.changes.value ? trueGaps(this.changes.value, this.#page.now.value) : []
  );
  readonly shown = signal<PastPicture | null>(null);
  readonly noPicture = signal<NoPicture | null>(null);
  /** Whether the wanted picture takes long. */
  readonly isLate = signal(false);
  /** Whether the film lies over the picture. */
  readonly isFilm = signal(false);
  /** What changed with the shown picture, while that is wanted. */
  readonly framed = signal<Slot | "nothing" | null>(null);
  /** The picture before that change, while it is shown. */
  readonly before = signal<PastPicture | null>(null);
  /** Of the bar's window, and of a film of small pictures. */
  readonly sheets: Sheets;
  readonly flow: Sheets;
  readonly film: Film;
  image: HTMLImageElement | null = null;
  video: HTMLVideoElement | null = null;
  #page: ChannelPage;
  /** The last answer by the second. */
  #near: Changes | null = null;
  #windowKey = "";
  #isLoading = false;
  #isAsking = false;

  /** @param at the moment of the picture that the page comes with; null: it comes without one. */
  constructor({ id, name, why }: ChannelParts, at: number | null, page: ChannelPage) {
    this.id = id;
    this.name = name;
    this.why = why;
    this.#page = page;
    if (at !== null) this.shown.value = { at, since: null, src: pictureAddress(id, at), size: null };
    this.sheets = new Sheets(id, page.turns, "sheet");
    this.flow = new Sheets(id, page.turns, "flow");
    this.film = new Film(page.library);
  }

  /** The newest second that is kept; null: there is none. */
  get newest(): number | null {
    return this.kept.value ? this.kept.value.end - 1 : null;
  }

  /** Whether something of a moment is kept, as far as is known. */
  hasPast(at: number): boolean {
    const kept = this.kept.peek();
    const isIn = ({ start, end }: Range) => at >= start && at < end;
    return !!kept && isIn(kept) && !this.gaps.peek().some(isIn);
  }

  /** Draws a small picture of a moment. @returns whether there is one. */
  draw(context: CanvasRenderingContext2D, box: Box, at: number): boolean {
    return this.flow.draw(context, box, at) || this.sheets.draw(context, box, at);
  }

  /** Whether there is a small picture of a moment. */
  hasSmall(at: number): boolean {
    return [this.flow, this.sheets].some((sheets) => !!sheets.of(at)?.image);
  }

  /** Whether small pictures are there with one each `step` s at least, or there are none. */
  isDrawn(at: number, step: number): boolean {
    return [this.flow, this.sheets].some((sheets) => (sheets.of(at)?.step ?? Infinity) <= step);
  }

  /** @throws {ApiError} */
  async read(range: Range, scale: number): Promise<Changes> {
    const changes = await this.#page.turns.run("changes", () => readChanges(this.id, range, scale));
    if (scale === 1) this.#near = changes;
    return changes;
  }

  /** Reads what the bar shows of its window. */
  async readWindow(window: Range, scale: number): Promise<void> {
    const key = `${window.start} ${window.end}`;
    if (this.#windowKey === key) return;
    this.#windowKey = key;
    try {
      const changes = await this.read(window, scale);
      if (this.#windowKey === key) this.changes.value = changes;
    } catch (error) {
      this.#windowKey = "";
      this.#page.fail(error, this);
    }
  }

  /** Asks how far the past reaches, or what is new. @returns whether there is another picture by now. */
  async ask(): Promise<boolean> {
    if (this.#isAsking) return false;
    this.#isAsking = true;
    try {
      return this.kept.value ? await this.#readNewest(this.kept.value) : await this.#readReach();
    } finally {
      this.#isAsking = false;
    }
  }

  async #readReach(): Promise<boolean> {
    const since = this.#page.now.value - REACH;
    this.kept.value = await this.#page.turns.run("changes", () => readKept(this.id, since));
    return false;
  }

  async #readNewest(kept: Range): Promise<boolean> {
    const end = this.#page.now.value;
    const { slots, gaps } = await this.read({ start: end - NEWEST, end }, 1);
    const last = gaps.at(-1);
    const newest = last && last.end >= end ? last.start : end;
    if (newest > end - NEWEST && newest > kept.end) this.kept.value = { ...kept, end: newest };
    const since = this.shown.value?.since ?? 0;
    return slots.some(({ start, share }) => share > 0 && start > since);
  }

  /** Waits for the picture that the page came with, so that it is not made twice. */
  async afterFirst(): Promise<void> {
    const { image } = this;
    if (!image || image.complete) return;
    await new Promise((done) => {
      image.addEventListener("load", done, { once: true });
      image.addEventListener("error", done, { once: true });
    });
  }

  /**
   * Loads the wanted picture, and then the one that is wanted by then. @param isNew whether there is another by now.
   * @param isCoarse whether a small one is shown meanwhile, as one was before.
   */
  async load({ isNew = false, isCoarse = false } = {}): Promise<void> {
    if (isCoarse) this.isLate.value = true;
    if (this.#isLoading) return;
    this.#isLoading = true;
    const timer = setTimeout(() => this.isLate.value = true, LATE_MS);
    try {
      for (let done: number | null = isNew ? null : -1;;) {
        const wanted = this.#page.wantedOf(this);
        if (wanted === null || wanted === done) break;
        const isDone = done === -1 && this.#stands(wanted);
        done = isDone ? wanted : await this.#page.turns.run("picture", () => this.#show()) ?? wanted;
      }
      if (this.#page.wantedOf(this) !== null) this.endFilm();
    } catch (error) {
      this.#page.fail(error, this);
    } finally {
      clearTimeout(timer);
      this.isLate.value = false;
      this.#isLoading = false;
    }
  }

  endFilm(): void {
    if (!this.isFilm.value) return;
    this.isFilm.value = false;
    this.film.stop();
  }

  /** Shows the second before the shown picture's change, or stops that. @returns whether it could. @throws {ApiError} */
  async showBefore(isWanted: boolean): Promise<boolean> {
    const since = this.shown.value?.since;
    if (!isWanted || !since) {
      this.before.value = null;
      return true;
    }
    const found = await readPicture(this.id, since - 1);
    if (!("src" in found)) return false;
    if (this.shown.value?.since === since) this.before.value = found;
    return true;
  }

  /** Frames what changed with the shown picture, where that is wanted. */
  async frame(): Promise<void> {
    const since = this.shown.value?.since;
    if (!this.#page.isFraming(this) || !since) return void (this.framed.value = null);
    if (this.framed.value !== "nothing" && this.framed.value?.start === since) return;
    try {
      const { slots: [slot] } = await this.#page.turns.run(
        "changes",
        () => readChanges(this.id, { start: since, end: since + 1 }, 1),
      );
      if (this.shown.value?.since === since) this.framed.value = slot?.share ? slot : "nothing";
    } catch (error) {
      this.#page.fail(error, this);
    }
  }

  /** Whether what is shown is known to be that of a moment: then nobody is asked. */
  #stands(at: number): boolean {
    const { shown: { value: shown }, noPicture: { value: missing } } = this;
    const known = [this.#near, this.changes.value].filter((one) => one !== null);
    // it has no past
    if (this.kept.value === null) return true;
    if (missing) {
      const isSame = missing.after === null
        ? known.some((one) => isBare(one, Math.min(at, missing.at), Math.max(at, missing.at)))
        : at < missing.after && at > (missing.before ?? -1);
      if (isSame) this.noPicture.value = { ...missing, at };
      return isSame;
    }
    if (!shown?.size) return false;
    const isSame = at <= shown.at
      ? at === shown.at || shown.since !== null && at >= shown.since
      : known.some((one) => isQuiet(one, shown.at, at));
    if (isSame && at !== shown.at) this.shown.value = { ...shown, at };
    return isSame;
  }

  /** Shows the picture of the moment that is wanted when it is its turn. @returns that moment. */
  async #show(): Promise<number | null> {
    const at = this.#page.wantedOf(this);
    if (at === null) return null;
    let found = await readPicture(this.id, at);
    const now = this.#page.now.value;
    // the newest seconds may not be written yet
    const isNewest = "text" in found && found.reason === null && found.after === null && at > now - NEWEST &&
      at <= now;
    if (isNewest && "text" in found && found.before !== null) {
      found = await readPicture(this.id, found.before);
    }
    if ("text" in found) {
      this.noPicture.value = found;
      return at;
    }
    const { value: last } = this.shown;
    batch(() => {
      this.shown.value = found;
      this.noPicture.value = null;
    });
    if (last?.src.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(last.src), 1000);
    return at;
  }
}
