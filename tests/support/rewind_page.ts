/** The page of a stream's past, as a person uses it, on a past whose pictures show their own second. */
import type { Locator, Page } from "playwright-core";
import { runBytes } from "../../lib/machine/os/process.ts";
import type { TestApp } from "./app.ts";
import { pastFolder, type PastPiece, secondOf, writePast } from "./past.ts";

const SIZE = { width: 320, height: 180 };

/** Numbers that follow each other. */
export const seconds = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, number) => from + number * step);

/** Has the real ffmpeg make pictures of this past. */
export async function keepPast(app: TestApp, pieces: readonly PastPiece[], id = "clock"): Promise<void> {
  await writePast(pastFolder(app.paths, id), pieces);
  app.machine.runBytes = runBytes;
}

export class RewindPage {
  readonly page: Page;
  readonly bar: Locator;
  readonly words: Locator;
  #url: string;

  constructor(page: Page, url: string) {
    this.page = page;
    this.#url = url;
    this.bar = page.getByRole("slider", { name: "Moment" });
    this.words = page.locator(".rewind-moment");
  }

  /** @param at Unix time in s; absent: the newest. */
  async open(at?: number, id = "clock"): Promise<void> {
    await this.openAt(`/streams/${id}/rewind${at === undefined ? "" : `?at=${at}`}`);
  }

  protected async openAt(path: string): Promise<void> {
    await this.page.goto(this.#url + path);
    await this.page.locator("main[data-ready=true]").waitFor();
  }

  /** The second that a picture, the film, or the small picture shows; null: none. */
  async second(part: "img" | "video" | "canvas" = "img"): Promise<number | null> {
    const luma = await this.page.evaluate(({ part, size: { width, height } }) => {
      const shown = document.querySelector<HTMLImageElement>(`.rewind-box > ${part}:not([hidden])`);
      if (!shown || part === "img" && !shown.naturalWidth) return null;
      const canvas = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })!;
      canvas.drawImage(shown, 0, 0, width, height);
      return [...canvas.getImageData(0, 0, width, height).data].filter((_, at) => at % 4 === 1);
    }, { part, size: SIZE });
    return luma && secondOf(Uint8Array.from(luma), SIZE.width, SIZE);
  }

  /** The place of a moment on the bar. */
  async placeOf(at: number, window: { start: number; end: number }): Promise<{ x: number; y: number }> {
    const { x, y, width, height } = (await this.bar.boundingBox())!;
    return { x: x + (at + 0.5 - window.start) / (window.end - window.start) * width, y: y + height / 2 };
  }

  /** The moment in the address. */
  at(): number | null {
    const at = new URL(this.page.url()).searchParams.get("at");
    if (at === null) return null;
    return /^\d+$/.test(at) ? Number(at) : Date.parse(at) / 1000;
  }

  /** The moment that the slider says, as Unix time in s. */
  async value(): Promise<number> {
    return Number(await this.bar.getAttribute("aria-valuenow"));
  }
}
