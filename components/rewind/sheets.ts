import { SHEET } from "../../lib/model/past.ts";
import { signal } from "@preact/signals";
import { type Range, sheetAddress } from "./past.ts";
import { pictureIn, sheetFor, type SheetPlan } from "./windows.ts";

/** A window that is passed by on the way needs none, in ms. */
const SETTLED_MS = 200;
/** Sheets that stay: one of each zoom, and another one. */
const MOST = 4;
/** How far a sheet may be behind its window, in pictures. */
const BEHIND = 6;

interface Sheet extends SheetPlan {
  image: HTMLImageElement;
}

/** The small pictures of a window, which are loaded as one before anybody points at them. */
export class Sheets {
  /** The loaded ones. */
  readonly all = signal<readonly Sheet[]>([]);
  #id: string;
  #wanted: SheetPlan | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(id: string) {
    this.#id = id;
  }

  want(window: Range): void {
    const plan = sheetFor(window);
    const last = this.#wanted;
    const lag = last?.step === plan.step ? Math.abs(plan.start - last.start) / plan.step : Infinity;
    if (lag < BEHIND) return;
    this.#wanted = plan;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#load(plan), SETTLED_MS);
  }

  /** Draws the nearest small picture of a moment. @returns whether there is one. */
  draw(canvas: HTMLCanvasElement, at: number, aspect: number): boolean {
    const fitting = this.all.value.filter((sheet) => pictureIn(sheet, at) !== null);
    const [sheet] = fitting.sort((one, other) => one.step - other.step);
    if (!sheet) return false;
    const number = pictureIn(sheet, at)!;
    const { columns, width, height } = SHEET;
    const size = { width: 2 * width, height: Math.round(2 * width / aspect) };
    if (canvas.width !== size.width || canvas.height !== size.height) Object.assign(canvas, size);
    const [x, y] = [number % columns * width, Math.floor(number / columns) * height];
    canvas.getContext("2d")!.drawImage(sheet.image, x, y, width, height, 0, 0, size.width, size.height);
    return true;
  }

  async #load(plan: SheetPlan): Promise<void> {
    const image = new Image();
    image.src = sheetAddress(this.#id, plan.start, plan.step);
    try {
      await image.decode();
    } catch {
      return; // nothing is kept of the window: moments are still told in words
    }
    const others = this.all.value.filter(({ start, step }) => step !== plan.step || start !== plan.start);
    this.all.value = [{ ...plan, image }, ...others].slice(0, MOST);
  }
}
