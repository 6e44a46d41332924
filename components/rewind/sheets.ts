import { SHEET } from "../../lib/model/past.ts";
import { signal } from "@preact/signals";
import { type Range, sheetAddress } from "./past.ts";
import type { Kind, Turns } from "./turns.ts";
import { pictureIn, sheetFor, type SheetPlan } from "./windows.ts";

/** A window that is passed by on the way needs none, in ms. */
const SETTLED_MS = 200;
/** Sheets that stay: one of each zoom, and another one. */
const MOST = 4;
/** How far a sheet may be behind its window, in pictures. */
const BEHIND = 6;

interface Sheet extends SheetPlan {
  /** Null: nothing is kept of its time. */
  image: HTMLImageElement | null;
}

/** A rectangle of a canvas, in its pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A channel's small pictures, which are loaded many as one before anybody points at them. */
export class Sheets {
  /** The loaded ones. */
  readonly all = signal<readonly Sheet[]>([]);
  #id: string;
  #turns: Turns;
  #kind: Kind;
  #most: number;
  #wanted: SheetPlan | null = null;
  #end = () => {};
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param kind of a window's, or of a film's flow: then only the present one and the next one stay. */
  constructor(id: string, turns: Turns, kind: "sheet" | "flow") {
    this.#id = id;
    this.#turns = turns;
    this.#kind = kind;
    this.#most = kind === "flow" ? 2 : MOST;
  }

  /** Loads those of a window, soon. */
  want(window: Range): void {
    const plan = sheetFor(window);
    const last = this.#wanted;
    const lag = last?.step === plan.step ? Math.abs(plan.start - last.start) / plan.step : Infinity;
    if (lag < BEHIND) return;
    this.#wanted = plan;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.load(plan, () => this.#wanted === plan), SETTLED_MS);
  }

  /** Ends the question for those of a window: it is asked again when they are wanted. */
  drop(): void {
    const wanted = this.#wanted;
    if (!wanted || this.all.value.some(({ start, step }) => start === wanted.start && step === wanted.step)) {
      return;
    }
    this.#wanted = null;
    clearTimeout(this.#timer);
    this.#end();
  }

  /** The sheet with the nearest picture of a moment. */
  of(at: number): Sheet | undefined {
    const fitting = this.all.value.filter((sheet) => pictureIn(sheet, at) !== null);
    return fitting.sort((one, other) => one.step - other.step)[0];
  }

  /** Draws the nearest small picture of a moment. @returns whether there is one. */
  draw(context: CanvasRenderingContext2D, box: Box, at: number): boolean {
    const sheet = this.of(at);
    if (!sheet?.image) return false;
    const number = pictureIn(sheet, at)!;
    const { columns, width, height } = SHEET;
    const [x, y] = [number % columns * width, Math.floor(number / columns) * height];
    context.drawImage(sheet.image, x, y, width, height, box.x, box.y, box.width, box.height);
    return true;
  }

  /** @param isWanted whether it still is, when it is its turn and when it is there. */
  async load(plan: SheetPlan, isWanted = () => true): Promise<void> {
    const image = new Image();
    const isThere = await this.#turns.run(this.#kind, async () => {
      if (!isWanted()) return null;
      image.src = sheetAddress(this.#id, plan.start, plan.step);
      return await new Promise<boolean>((done) => {
        // an image without an address never tells that it failed
        this.#end = () => {
          image.removeAttribute("src");
          done(false);
        };
        // nothing may be kept of the window: moments are still told in words
        image.decode().then(() => done(true), () => done(false));
      });
    });
    if (isThere === null || !isWanted()) return;
    const others = this.all.value.filter(({ start, step }) => step !== plan.step || start !== plan.start);
    this.all.value = [{ ...plan, image: isThere ? image : null }, ...others].slice(0, this.#most);
  }
}
