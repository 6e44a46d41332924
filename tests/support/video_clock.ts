/** Reads the time that a page has painted (painted_time.ts) out of a video that plays in a viewer's browser. */
import type { Page } from "playwright-core";
import { BLOCKS, paintedTime } from "./painted_time.ts";

/** A picture that a viewer has seen. */
export interface SeenPicture {
  /** Unix ms at which it was on the screen. */
  at: number;
  /** Unix ms modulo 2^32 of its painting; null where it shows no time. */
  painted: number | null;
}

/** Milliseconds between the painting and the screen; null where the picture shows no time. */
export function ageOf({ at, painted }: SeenPicture): number | null {
  return painted === null ? null : (at % 2 ** 32 - painted + 2 ** 32) % 2 ** 32;
}

/**
 * Takes pictures of the page's video from now on, at most one in `everyMs`. @param height of the picture's part with the
 * blocks, from its top: 0 to 1. @returns what takes those that were seen since it was asked last, in order, and how often
 * the video has waited for data so far.
 */
export async function seenPictures(
  page: Page,
  { everyMs = 0, height = 1 } = {},
): Promise<() => Promise<{ pictures: SeenPicture[]; stalls: number }>> {
  const taken = await page.evaluateHandle(([everyMs, part, columns, rows]) => {
    const video = document.querySelector("video")!;
    const [width, height] = [columns * 16, rows * 16];
    const canvas = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })!;
    const seen = { all: [] as { at: number; levels: number[] }[], stalls: 0 };
    video.addEventListener("waiting", () => seen.stalls++);
    let last = -Infinity;
    const look: VideoFrameRequestCallback = (now, { expectedDisplayTime }) => {
      video.requestVideoFrameCallback(look);
      if (now - last < everyMs) return;
      last = now;
      canvas.drawImage(video, 0, 0, video.videoWidth, video.videoHeight * part, 0, 0, width, height);
      const { data } = canvas.getImageData(0, 0, width, height);
      const levels = Array.from({ length: columns * rows }, (_, at) => {
        const [x, y] = [at % columns * 16 + 8, Math.floor(at / columns) * 16 + 8];
        return data[(y * width + x) * 4 + 1];
      });
      seen.all.push({ at: performance.timeOrigin + expectedDisplayTime, levels });
    };
    video.requestVideoFrameCallback(look);
    return seen;
  }, [everyMs, height, BLOCKS.columns, BLOCKS.rows]);
  return async () => {
    const { seen, stalls } = await taken.evaluate(({ all, stalls }) => ({ seen: all.splice(0), stalls }));
    return {
      pictures: seen.map(({ at, levels }) => ({ at, painted: paintedTime(new Uint8Array(levels)) })),
      stalls,
    };
  };
}

/**
 * Listens to the page's video, which must not be muted. @returns what takes the Unix ms at which silence of a second
 * ended in what was to be heard since it was asked last.
 */
export async function heardBeeps(page: Page): Promise<() => Promise<number[]>> {
  const taken = await page.evaluateHandle(async () => {
    const processor = `registerProcessor("beeps", class extends AudioWorkletProcessor {
      loud = 0;
      process([[samples]]) {
        const first = samples ? samples.findIndex((one) => Math.abs(one) > 0.1) : -1;
        if (first < 0) return true;
        const at = currentTime + first / sampleRate;
        if (at - this.loud > 1) this.port.postMessage(at);
        this.loud = at;
        return true;
      }
    })`;
    const context = new AudioContext();
    await context.audioWorklet.addModule(
      URL.createObjectURL(new Blob([processor], { type: "text/javascript" })),
    );
    const listener = new AudioWorkletNode(context, "beeps");
    context.createMediaElementSource(document.querySelector("video")!).connect(listener);
    listener.connect(context.destination);
    await context.resume();
    const heard: number[] = [];
    listener.port.onmessage = ({ data }) => {
      const { contextTime = 0, performanceTime = 0 } = context.getOutputTimestamp();
      heard.push(performance.timeOrigin + performanceTime + (data - contextTime) * 1000);
    };
    return heard;
  });
  return () => taken.evaluate((all) => all.splice(0));
}
