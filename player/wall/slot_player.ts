/** Plays one channel without sound in a slot, as long as it is wanted, and tries again with growing pauses. */
import { engineOf } from "../engine.ts";
import { isInstantAvoided } from "../instant.ts";
import { WALL_HLS_OPTIONS } from "./hls_options.ts";
import { retryMs } from "./retry.ts";

/** After this long without a failure the next retry is quick again. */
const STEADY_MS = 30_000;

/** Where a channel is, and how it is played. */
export interface Feed {
  /** Address of its playlist. */
  hls: string;
  /** Path of its transport stream, and the address of mpegts.js, for the instant view. */
  transport: string;
  library: string;
  isInstant(): boolean;
}

export interface SlotPlayer {
  /** Whether the picture moves. */
  isPlaying(): boolean;
  /** How often it failed in a row. */
  failures(): number;
  /** Whether it may be started: it is not, and no pause is under way. */
  isDue(now: number): boolean;
  start(now: number): void;
  /** Looks whether the picture still moves. */
  watch(now: number): void;
  /** Frees what it had, and forgets what failed. */
  stop(): void;
}

/** @param changed is called when it begins to play, or stops. */
export function slotPlayer(video: HTMLVideoElement, feed: Feed, changed: () => void): SlotPlayer {
  let isPlaying = false;
  let failures = 0;
  let dueAt = 0;
  let startedAt = 0;
  // where the instant view fails, the next tick begins with HLS
  const engine = engineOf(video, { hls: WALL_HLS_OPTIONS, play, onlost: fail, onfail: leave });

  function play() {
    const playing = video.play();
    // refused for a moment, such as in a tab that was never seen: watch() asks again
    if (playing) playing.catch(() => {});
  }

  function leave() {
    engine.detach();
    isPlaying = false;
    changed();
  }

  function fail() {
    failures++;
    dueAt = performance.now() + retryMs(failures, Math.random());
    leave();
  }

  video.addEventListener("playing", () => {
    if (!engine.isAttached() || isPlaying) return;
    isPlaying = true;
    changed();
  });

  return {
    isPlaying: () => isPlaying,
    failures: () => failures,
    isDue: (now) => !engine.isAttached() && now >= dueAt,
    start(now) {
      startedAt = now;
      if (feed.isInstant() && !isInstantAvoided()) engine.attachInstant(feed.transport, feed.library);
      else if (!engine.attachHls(feed.hls)) fail();
    },
    watch(now) {
      if (!engine.isAttached()) return;
      if (engine.stall.verdict(video.currentTime, now) !== "fine") return fail();
      if (isPlaying && now - startedAt > STEADY_MS) failures = 0;
      if (video.paused) play();
    },
    stop() {
      if (engine.isAttached()) leave();
      failures = 0;
      dueAt = 0;
    },
  };
}
