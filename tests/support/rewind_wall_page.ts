/** The page of a wall's past, as a person uses it, on pasts whose pictures show their own second. */
import type { Locator } from "playwright-core";
import type { TestApp } from "./app.ts";
import { secondOf } from "./past.ts";
import { RewindPage } from "./rewind_page.ts";

const SIZE = { width: 320, height: 180 };

/** Makes a wall of these streams, row by row; null: an empty slot. */
export async function makeWall(
  app: TestApp,
  columns: number,
  streams: readonly (string | null)[],
  name = "Lobby",
): Promise<void> {
  const slots = streams.flatMap((stream, at) =>
    stream === null ? [] : [{ row: Math.floor(at / columns) + 1, column: at % columns + 1, stream }]
  );
  const { status } = await app.api("POST", "/api/walls", {
    name,
    rows: Math.ceil(streams.length / columns),
    columns,
    slots,
  });
  if (status !== 201) throw new Error(`the wall was not made: ${status}`);
}

export class RewindWallPage extends RewindPage {
  /** @param at Unix time in s; absent: the newest. */
  override async open(at?: number, layout = "lobby"): Promise<void> {
    await this.openAt(`/wall/rewind?layout=${layout}${at === undefined ? "" : `&at=${at}`}`);
  }

  slot(name: string): Locator {
    return this.page.locator(".rewind-slot", { has: this.page.locator(".rewind-name", { hasText: name }) });
  }

  /** The second that each slot shows, at one time: of the film or the small picture where one lies over the picture. */
  async seconds(): Promise<Record<string, number | null>> {
    const lumas = await this.page.evaluate(({ width, height }) => {
      const slots = [...document.querySelectorAll(".rewind-slot:not(.is-empty)")].filter((slot) =>
        slot.querySelector("a")
      );
      return slots.map((slot) => {
        const name = slot.querySelector(".rewind-name")!.textContent!;
        const shown = ["canvas", "video", "img"].map((part) =>
          slot.querySelector<HTMLImageElement>(`${part}:not([hidden])`)
        ).find((part) => part !== null);
        const isMissing = slot.querySelector(".rewind-missing") !== null;
        if (!shown || isMissing || "naturalWidth" in shown && !shown.naturalWidth) {
          return [name, null] as const;
        }
        const canvas = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })!;
        canvas.drawImage(shown, 0, 0, width, height);
        const luma = [...canvas.getImageData(0, 0, width, height).data].filter((_, at) => at % 4 === 1);
        return [name, luma.slice(0, width * (height / 6 + 1))] as const;
      });
    }, SIZE);
    return Object.fromEntries(
      lumas.map(([name, luma]) => [name, luma && secondOf(Uint8Array.from(luma), SIZE.width, SIZE)]),
    );
  }

  /** The layers that lie over the pictures, by the names of their slots. */
  over(part: "video" | "canvas"): Promise<string[]> {
    return this.page.evaluate(
      (part) =>
        [...document.querySelectorAll(`.rewind-slot ${part}:not([hidden])`)].map((it) =>
          it.parentElement!.querySelector(".rewind-name")!.textContent!
        ),
      part,
    );
  }
}
