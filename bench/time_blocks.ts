/** Reads the clock of tests/fixtures/time-blocks.html out of a playing video. */
import type { Page } from "playwright-core";

export interface Measured {
  /** Milliseconds between the page's painting and the viewer's picture, one a sample. */
  latencies: number[];
  /** How often the picture stood still for want of data. */
  stalls: number;
  /** How often the player started again. */
  restarts: number;
  /** Samples that could not be read: two pictures in one frame. */
  unreadable: number;
}

/** Milliseconds between samples: no divisor of a segment's second, so that all its parts are seen. */
const PAUSE_MS = 730;
const FRAME_MS = 2000;

/** Takes so many samples from the page's video, which must be playing; fewer if half of them cannot be read. */
export function measureLatency(page: Page, samples: number): Promise<Measured> {
  return page.evaluate(async ([samples, pauseMs, frameMs]) => {
    const video = document.querySelector("video")!;
    const [width, height] = [320, 180];
    const canvas = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })!;

    /** Unix ms modulo 2^32, or null. */
    function shownTime(): number | null {
      canvas.drawImage(video, 0, 0, width, height);
      const { data } = canvas.getImageData(0, 0, width, height);
      const bytes = new Uint8Array(5);
      for (let bit = 0; bit < 40; bit++) {
        const x = ((bit & 7) + 0.5) * width / 8;
        const y = ((bit >> 3) + 0.5) * height / 5;
        const level = data[(Math.floor(y) * width + Math.floor(x)) * 4 + 1];
        if (level > 90 && level < 165) return null;
        if (level > 127) bytes[bit >> 3] |= 0x80 >> (bit & 7);
      }
      const isWhole = (bytes[0] ^ bytes[1] ^ bytes[2] ^ bytes[3] ^ 0xa5) === bytes[4];
      return isWhole ? new DataView(bytes.buffer).getUint32(0) : null;
    }

    const measured = { latencies: [] as number[], stalls: 0, restarts: 0, unreadable: 0 };
    video.addEventListener("waiting", () => measured.stalls++);
    video.addEventListener("emptied", () => measured.restarts++);
    /** False when there is none in time: a player that starts again loses the callback. */
    const nextFrame = () =>
      new Promise<boolean>((done) => {
        video.requestVideoFrameCallback(() => done(true));
        setTimeout(() => done(false), frameMs);
      });
    for (let round = 0; measured.latencies.length < samples && round < 2 * samples; round++) {
      if (!await nextFrame()) continue;
      const now = Date.now();
      const shown = shownTime();
      if (shown === null) measured.unreadable++;
      else measured.latencies.push((now % 2 ** 32 - shown + 2 ** 32) % 2 ** 32);
      await new Promise((done) => setTimeout(done, pauseMs));
    }
    return measured;
  }, [samples, PAUSE_MS, FRAME_MS]);
}
