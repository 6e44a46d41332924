/** /vnc/{id} as a person uses it, and what the page got of it that is taken over. */
import type { FrameLocator, Locator, Page } from "playwright-core";
import { RemoteBrowser } from "./remote_browser.ts";
import { until } from "./same.ts";
import { type TestService } from "./service.ts";
import { takePicture } from "./pictures.ts";

/** Where things are on tests/fixtures/remote.html. */
export const REMOTE = { field: [880, 140], button: [300, 280], ground: [1100, 600] } as const;
export const BEFORE_CLICK = [0x10, 0x30, 0x50];
export const AFTER_CLICK = [0x20, 0xa0, 0x50];

/** The page that is taken over, as it is by itself. */
export interface Remote {
  /** What it was told; null while it is not there. */
  seen(): Promise<{ text: string; clicks: number } | null>;
  /** Whether its field has the focus. */
  hasFocus(): Promise<boolean>;
  /** What may explain that it was not told. */
  log?(): Promise<string>;
}

/** tests/fixtures/remote.html in a real stream's browser. */
export function remoteOf(service: TestService, id: string): Remote {
  const browser = new RemoteBrowser(service, id);
  return {
    async seen() {
      try {
        const [{ title }] = await browser.control.pages();
        return JSON.parse(decodeURIComponent(title!));
      } catch {
        return null;
      }
    },
    async hasFocus() {
      return await browser.evaluate("document.activeElement.tagName").catch(() => "") === "INPUT";
    },
    log: async () => await (await service.api("GET", `/api/streams/${id}/events`)).text(),
  };
}

/** What a key event tells. */
export type Key = Pick<KeyboardEventInit, "key" | "code" | "ctrlKey" | "metaKey">;

export class VncPage {
  readonly page: Page;
  readonly #remote: Remote;

  constructor(page: Page, remote: Remote) {
    this.page = page;
    this.#remote = remote;
  }

  get frame(): FrameLocator {
    return this.page.frameLocator("iframe");
  }

  get canvas(): Locator {
    return this.frame.locator("#screen canvas");
  }

  get back(): Locator {
    return this.page.getByRole("link", { name: "Back", exact: true });
  }

  tool(name: string): Locator {
    return this.page.locator(".vnc-bar").getByRole("button", { name, exact: true, includeHidden: true });
  }

  /** Brings the bar back, as any movement does. */
  async wake(): Promise<void> {
    const { width, height } = this.page.viewportSize()!;
    await this.page.mouse.move(width / 2, height / 2);
    await this.page.mouse.move(width / 2 + 5, height / 2);
    await this.back.waitFor();
  }

  async untilPhase(phase: string): Promise<void> {
    await this.page.locator(`main[data-phase=${phase}]`).waitFor();
  }

  /** The colour of a point of the remote page, as the viewer has it; null while there is no picture. */
  colourAt([x, y]: readonly [number, number]): Promise<number[] | null> {
    return this.page.frames()[1].evaluate(([x, y]) => {
      const canvas = document.querySelector<HTMLCanvasElement>("#screen canvas");
      if (!canvas || canvas.width <= x) return null;
      return [...canvas.getContext("2d")!.getImageData(x, y, 1, 1).data.slice(0, 3)];
    }, [x, y] as const).catch(() => null);
  }

  async untilColour(rgb: number[]): Promise<void> {
    await until(`the colour ${rgb}`, async () => {
      const seen = await this.colourAt(REMOTE.ground);
      return seen?.every((value, at) => Math.abs(value - rgb[at]) < 12);
    });
  }

  /** Where a point of the remote page is in this window. */
  async pointAt([x, y]: readonly [number, number]): Promise<[number, number]> {
    const box = (await this.canvas.boundingBox())!;
    return [box.x + x * box.width / 1280, box.y + y * box.height / 720];
  }

  /** Presses keys together, as a keyboard that Playwright does not know tells of them. */
  async chord(...keys: Key[]): Promise<void> {
    await this.page.frames()[1].evaluate((keys) => {
      const tell = (type: string) => (key: Key) =>
        document.activeElement!.dispatchEvent(
          new KeyboardEvent(type, { bubbles: true, cancelable: true, ...key }),
        );
      keys.forEach(tell("keydown"));
      keys.toReversed().forEach(tell("keyup"));
    }, keys);
  }

  async clickAt(point: readonly [number, number]): Promise<void> {
    await this.page.mouse.click(...await this.pointAt(point));
  }

  /** Clicks or taps into the remote page's field, and waits until it has the focus there. */
  async focusField(how: "click" | "tap" = "click"): Promise<void> {
    const [x, y] = await this.pointAt(REMOTE.field);
    let nextAt = 0;
    await until("the remote field to have the focus", async () => {
      if (await this.#remote.hasFocus()) return true;
      if (performance.now() < nextAt) return false;
      // a page that is loaded anew under the pointer takes no click; a person clicks again
      if (nextAt > 0) console.log("the remote field is clicked again");
      nextAt = performance.now() + 5000;
      if (how === "click") await this.page.mouse.click(x, y);
      else await this.page.touchscreen.tap(x, y);
      return false;
    });
  }

  async untilText(text: string): Promise<void> {
    let seen: Awaited<ReturnType<Remote["seen"]>> = null;
    await until(`the text "${text}"`, async () => {
      seen = await this.#remote.seen();
      return seen?.text === text;
    }).catch(async (error) => {
      const log = await this.#remote.log?.() ?? "none";
      throw new Error(`${error.message}; the page has ${JSON.stringify(seen)}, its events: ${log}`);
    });
  }

  async shot(name: string): Promise<void> {
    await takePicture(this.page, `vnc-${name}`);
  }
}
