/** hls.js in Chromium with its own defaults, on a page with nothing of ours that could help it. */
import type { Browser } from "playwright-core";
import { apart, paintedTime } from "./painted_time.ts";
import { secondOf } from "./past.ts";

const HLS_JS = new URL("../../node_modules/hls.js/dist/hls.min.js", import.meta.url).pathname;

export interface Sample {
  /** Unix time in milliseconds. */
  at: number;
  currentTime: number;
  /** Decoded pictures so far. */
  frames: number;
  /** Colours where the test page is plain, and where it moves. */
  plain: number[];
  moving: number[];
  /** The brightness of the blocks in which the test page paints its time. */
  levels: number[];
  /** What hls.js says that the picture is of, Unix ms; null: the list has no date. */
  date: number | null;
}

/** Milliseconds from the time that a sample's picture shows to its date; null where it shows none. */
export function dateOff({ levels, date }: Sample): number | null {
  const painted = paintedTime(new Uint8Array(levels));
  return painted === null ? null : apart(date ?? NaN, painted);
}

/** How it has played since it was asked last: told by the page itself, which answers late on a full machine. */
export interface Playback {
  /** Unix time in milliseconds. */
  at: number;
  currentTime: number;
  /** How often it waited for data. */
  stalls: number;
  longestPauseMs: number;
}

export interface HlsPage {
  sample(): Promise<Sample>;
  playback(): Promise<Playback>;
  /** Stops at a time of the player. */
  seek(time: number): Promise<void>;
  /** The second that a picture of the past shows (past.ts). */
  shownSecond(): Promise<number>;
  /** hls.js's errors that end playing. */
  fatalErrors(): Promise<string[]>;
}

interface Global {
  fatal: string[];
  played: { stalls: number; longestPauseMs: number };
  Hls: typeof import("hls.js").default;
  hls: import("hls.js").default;
}

/**
 * Plays a playlist. @param origin of a page from which it may be fetched. @param isMuted unless the browser has a sound
 * output, by whose clock it then plays (sound_output.ts).
 */
export async function openHlsPage(
  browser: Browser,
  origin: string,
  url: string,
  isMuted = true,
): Promise<HlsPage> {
  const context = await browser.newContext({ bypassCSP: true, viewport: { width: 320, height: 240 } });
  const page = await context.newPage();
  await page.goto(`${origin}/healthz`);
  await page.addScriptTag({ path: HLS_JS });
  await page.evaluate(([source, isMuted]) => {
    const global = globalThis as unknown as Global;
    const video = document.body.appendChild(document.createElement("video"));
    video.muted = isMuted;
    video.width = 320; // there is no GPU to paint more
    video.autoplay = true;
    global.fatal = [];
    global.played = { stalls: 0, longestPauseMs: 0 };
    video.addEventListener("waiting", () => global.played.stalls++);
    let [time, since] = [0, performance.now()];
    setInterval(() => {
      const now = performance.now();
      if (video.currentTime === time) {
        global.played.longestPauseMs = Math.max(global.played.longestPauseMs, now - since);
      } else [time, since] = [video.currentTime, now];
    }, 200);
    const hls = new global.Hls();
    hls.on(global.Hls.Events.ERROR, (_, { fatal, details }) => fatal && global.fatal.push(details));
    global.hls = hls;
    hls.loadSource(source);
    hls.attachMedia(video);
  }, [url, isMuted] as const);
  return {
    sample: () =>
      page.evaluate(() => {
        const video = document.querySelector("video")!;
        // small and in memory: a quarter of the page's width each way is enough to see its colours
        const canvas = new OffscreenCanvas(320, 180).getContext("2d", { willReadFrequently: true })!;
        if (video.videoWidth > 0) canvas.drawImage(video, 0, 0, 320, 180);
        const at = (x: number, y: number) => [...canvas.getImageData(x, y, 1, 1).data].slice(0, 3);
        return {
          at: Date.now(),
          currentTime: video.currentTime,
          frames: video.getVideoPlaybackQuality().totalVideoFrames,
          plain: at(275, 150),
          moving: at(80, 38),
          levels: Array.from({ length: 40 }, (_, bit) =>
            at(176 + (bit % 8 + 0.5) * 16, 18 + ((bit >> 3) + 0.5) * 14.4)[1]),
          date: (globalThis as unknown as Global).hls.playingDate?.getTime() ?? null,
        };
      }),
    playback: () =>
      page.evaluate(() => {
        const global = globalThis as unknown as Global;
        const { currentTime } = document.querySelector("video")!;
        const played = { at: Date.now(), currentTime, ...global.played };
        global.played = { stalls: 0, longestPauseMs: 0 };
        return played;
      }),
    seek: (time) =>
      page.evaluate((time) => {
        const video = document.querySelector("video")!;
        video.autoplay = false;
        video.pause();
        video.currentTime = time;
      }, time),
    shownSecond: async () => {
      const size = { width: 320, height: 180 };
      const luma = await page.evaluate(({ width, height }) => {
        const canvas = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })!;
        canvas.drawImage(document.querySelector("video")!, 0, 0, width, height);
        return [...canvas.getImageData(0, 0, width, height).data].filter((_, at) => at % 4 === 1);
      }, size);
      return secondOf(Uint8Array.from(luma), size.width, size);
    },
    fatalErrors: () => page.evaluate(() => (globalThis as unknown as Global).fatal),
  };
}
