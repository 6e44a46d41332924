import { strict as assert } from "node:assert";
import axe from "axe-core";
import type { Frame, Locator, Page } from "playwright-core";
import { until } from "./same.ts";
import { pause } from "./within.ts";
import { takePicture } from "./pictures.ts";

/** The addresses of a stream's players. */
export const PLAYERS = {
  minimal: (id: string) => `/player/${id}.html`,
  tv: (id: string) => `/static/${id}`,
  framed: (id: string) => `/player/${id}`,
} as const;

export type Player = keyof typeof PLAYERS;

/** What counts as moving: two pictures of ten a second. */
const MOVED_S = 0.15;
const MOVED_FRAMES = 2;
/** Longer than what a player takes for a stall. */
const STILL_MS = 900;
export interface VideoState {
  time: number;
  /** Decoded pictures since the source was set. */
  frames: number;
  isPaused: boolean;
  isMuted: boolean;
  volume: number;
  src: string;
}

/** Whether the page's video, or that of its frame, plays. */
const IS_PLAYING = `(() => {
  const frame = document.querySelector("iframe");
  const video = (frame ? frame.contentDocument : document)?.querySelector("video");
  return !!video && !video.paused && video.readyState > 2 && video.currentTime > 0;
})()`;

/** A player as a viewer sees it, whether it is the page or in a frame of it. */
export class PlayerPage {
  readonly page: Page;
  /** Addresses the page asked for. */
  readonly requests: string[] = [];
  readonly #url: string;
  #frame: Frame | null = null;

  constructor(page: Page, url: string) {
    this.page = page;
    this.#url = url;
    page.on("request", (request) => this.requests.push(request.url()));
  }

  async open(player: Player, id: string): Promise<void> {
    await this.page.goto(this.#url + PLAYERS[player](id), { waitUntil: "commit" });
    await this.find();
  }

  /**
   * Opens a player as a new visitor's browser does and waits until it plays. Every other method counts as a gesture of
   * the visitor, since Playwright evaluates that way; an init script may miss the document of a frame.
   */
  async openUntouched(player: Player, id: string): Promise<void> {
    await this.page.goto(this.#url + PLAYERS[player](id), { waitUntil: "commit" });
    const devtools = await this.page.context().newCDPSession(this.page);
    await until("the player to play", async () => {
      const { result } = await devtools.send("Runtime.evaluate", {
        expression: IS_PLAYING,
        userGesture: false,
      });
      return result.value;
    });
    await devtools.detach();
    await this.find();
  }

  /** Finds the player again, after a reload of its frame. */
  async find(): Promise<void> {
    await until("the player", async () => {
      for (const frame of this.page.frames()) {
        if (await frame.locator("video").count().catch(() => 0) === 0) continue;
        this.#frame = frame;
        return true;
      }
    });
  }

  get frame(): Frame {
    assert.ok(this.#frame, "open() first");
    return this.#frame;
  }

  get back(): Locator {
    return this.frame.getByRole("button", { name: "Back", includeHidden: true });
  }

  get mute(): Locator {
    return this.frame.getByRole("button", { name: /^(Mute|Unmute)$/, includeHidden: true });
  }

  message(): Promise<string> {
    return this.frame.locator("#message").innerText();
  }

  video(): Promise<VideoState> {
    return this.frame.locator("video").evaluate((video: HTMLVideoElement) => ({
      time: video.currentTime,
      frames: video.getVideoPlaybackQuality().totalVideoFrames,
      isPaused: video.paused,
      isMuted: video.muted,
      volume: video.volume,
      src: video.getAttribute("src") ?? "",
    }));
  }

  /** How often the player asked whether its channel exists: once an attempt. */
  attempts(): number {
    return this.requests.filter((url) => url.endsWith("/api/streams/statuses")).length;
  }

  async untilMessage(text: RegExp): Promise<void> {
    await until(`the message ${text}`, async () => text.test(await this.message()));
  }

  /** Waits for a picture that moves, with nothing said over it. */
  async untilPlaying(): Promise<void> {
    let before: VideoState | null = null;
    await until("a moving picture", async () => {
      if (this.frame.isDetached()) await this.find();
      const look = await Promise.all([this.video(), this.message()]).catch((error) => {
        if (this.frame.isDetached()) return null;
        throw error;
      });
      if (!look) return false;
      const [now, message] = look;
      // a start sets the time to the newest picture, which is no progress yet
      if (!before?.time || now.time < before.time || now.frames < before.frames) {
        before = now;
        return false;
      }
      const isMoving = now.time - before.time > MOVED_S && now.frames - before.frames >= MOVED_FRAMES;
      return isMoving && !now.isPaused && !/waiting|reached|stopped/i.test(message);
    });
  }

  /** Waits until the picture has stood still for longer than a player takes for a stall; not once `isOver`. */
  async untilStill(isOver = () => false): Promise<void> {
    await until("the picture to stand still", async () => {
      const before = await this.video();
      await pause(STILL_MS);
      return isOver() || (await this.video()).time === before.time;
    });
  }

  /** Waits for a picture that is behind all that was loaded when this was called. */
  async untilNewFrame(): Promise<void> {
    const old = this.requests.length;
    await until(
      "another segment",
      () => this.requests.slice(old).some((url) => url.endsWith(".ts")),
    );
    const loadedUntil = await this.frame.locator("video").evaluate(({ buffered }: HTMLVideoElement) =>
      buffered.length > 0 ? buffered.end(buffered.length - 1) : 0
    );
    const { time } = await this.video();
    await until(
      "the picture behind what was loaded",
      async () => {
        const now = (await this.video()).time;
        return now > loadedUntil || now < time;
      },
    );
    await this.untilPlaying();
  }

  /**
   * Lets the page's clock run, which has to be installed, with pauses in which answers can arrive.
   * @param stepMs how far at once; requests that are answered need less than their timeout of 5 s.
   */
  async run(ms: number, stepMs = 1000): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await this.page.clock.runFor(stepMs);
      await pause(15);
    }
  }

  /**
   * Lets the page's clock run until the player loads segments, and waits for the picture. The segment may be the last
   * of an attempt that is given up, so what is left of `withinMs` then passes as real time.
   */
  async runUntilPlaying(withinMs: number): Promise<void> {
    const old = this.requests.length;
    let passed = 0;
    for (; !this.requests.slice(old).some((url) => url.endsWith(".ts")); passed += 500) {
      assert.ok(passed < withinMs, `nothing was loaded within ${withinMs / 1000} s of the page's clock`);
      await this.page.clock.runFor(500);
      await pause(50);
    }
    await this.untilPlaying();
  }

  /** Clicks a button as a hand does: the movement before shows it. */
  async click(button: Locator): Promise<void> {
    await this.page.mouse.move(400, 300);
    await this.page.mouse.move(410, 310);
    await button.click();
  }

  /** A key that no keyboard has, as a television's browser tells of it. */
  async send(key: string, keyCode: number): Promise<void> {
    await this.frame.evaluate(([key, keyCode]) => {
      const event = new KeyboardEvent("keydown", { key: String(key), bubbles: true, cancelable: true });
      Object.defineProperty(event, "keyCode", { value: keyCode });
      (document.activeElement ?? document.body).dispatchEvent(event);
    }, [key, keyCode]).catch((error) => {
      // the key has led away before the page could answer
      if (!/Execution context was destroyed/.test(String(error))) throw error;
    });
  }

  /** Waits for the TV player's buttons; before the style sheet is there they show as well. */
  async untilReady(): Promise<void> {
    await this.frame.locator("body.is-active").waitFor();
  }

  async untilHidden(button: Locator): Promise<void> {
    await button.waitFor({ state: "hidden" });
  }

  async untilShown(button: Locator): Promise<void> {
    await button.waitFor({ state: "visible" });
  }

  /** What axe-core finds wrong, in the page and in its frames. */
  async problems(): Promise<string[]> {
    const found: string[] = [];
    for (const frame of this.page.frames()) {
      await frame.evaluate(axe.source);
      found.push(
        ...await frame.evaluate(async () => {
          const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
          const { violations } = await axe.run(document, { iframes: false });
          return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
        }),
      );
    }
    return found;
  }

  async screenshot(name: string): Promise<void> {
    await takePicture(this.page, name);
  }
}

/** Milliseconds from the key until another channel's picture moves. */
export async function changeChannel(player: PlayerPage, key: string): Promise<number> {
  const changing = player.frame.evaluate(() =>
    new Promise<number>((done) => {
      let pressedAt = 0;
      addEventListener("keydown", () => pressedAt ||= performance.now(), { capture: true, once: true });
      document.querySelector("video")!.addEventListener(
        "playing",
        () => done(performance.now() - pressedAt),
        {
          once: true,
        },
      );
    })
  );
  await player.page.keyboard.press(key);
  return await changing;
}
