/**
 * Finds by its process whether an encoder does not keep up, whether it sends silence since the sound server was not
 * there at its start, and whether it grabs its display since the capture program was not there. ffmpeg's own log says
 * nothing of this for sure: ffmpeg warns of full queues at each start, and counts no picture that it never took.
 */
import type { EncoderProcess } from "./commands/encoder.ts";
import type { Program } from "../../machine/supervisor/status.ts";
import { busiestThread, type ThreadTimes } from "../../machine/os/thread_load.ts";

/** A thread that never rests for three checks cannot do more; it must rest for three checks before the load is over. */
const FULL = 0.97;
const CHECKS = 3;

/** The finding about an encoder; undefined: nothing new. */
export interface EncoderFinding {
  isSilent: boolean;
  isGrabbing: boolean;
  isSlow: boolean | undefined;
}

/** One stream's encoder, over all its processes. */
export class EncoderWatch {
  #last: { pid: number; at: number; threads: ThreadTimes } | null = null;
  /** Checks in a row: above 0 of a full encoder, below 0 of an encoder that rests. */
  #inRow = 0;

  /** @param at ms of a steady clock. @returns null while the process is not yet ffmpeg. */
  see(pid: number, { commandLine, threads }: EncoderProcess, at: number): EncoderFinding | null {
    // before it becomes ffmpeg, the process is the program that prepares ffmpeg
    if (!commandLine.includes("ffmpeg")) return null;
    const before = this.#last;
    if (before?.pid !== pid) this.#inRow = 0;
    else if (at > before.at) {
      const isFull = busiestThread(before.threads, threads, at - before.at) >= FULL;
      this.#inRow = isFull ? Math.max(this.#inRow, 0) + 1 : Math.min(this.#inRow, 0) - 1;
    }
    this.#last = { pid, at, threads };
    const isSlow = this.#inRow >= CHECKS ? true : this.#inRow <= -CHECKS ? false : undefined;
    const isGrabbing = commandLine.includes("x11grab");
    return { isSilent: commandLine.includes("anullsrc"), isGrabbing, isSlow };
  }
}

/**
 * Whether an encoder that grabs its display can have the capture program's pictures now: that program was started after
 * the encoder, and has lasted. So a display that cannot be captured costs one restart at most.
 */
export function canHavePictures(encoder: Program, capture: Program | undefined, lastedMs: number): boolean {
  if (capture?.state !== "RUNNING" || encoder.state !== "RUNNING") return false;
  return capture.start > encoder.start && (capture.now - capture.start) * 1000 >= lastedMs;
}
