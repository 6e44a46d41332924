/** Plays one channel without sound in a slot, as long as it is wanted, and tries again with growing pauses. */
import type HlsType from "hls.js";
import { stallWatch } from "../stall.ts";
import { WALL_HLS_OPTIONS } from "./hls_options.ts";
import { retryMs } from "./retry.ts";

/** Defined by hls.js's own script, which an old browser or a broken network may not have loaded. */
declare const Hls: typeof HlsType | undefined;

/** After this long without a failure the next retry is quick again. */
const STEADY_MS = 30_000;

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
export function slotPlayer(video: HTMLVideoElement, feed: string, changed: () => void): SlotPlayer {
  const stall = stallWatch();
  let hls: HlsType | null = null;
  let isAttached = false;
  let isPlaying = false;
  let failures = 0;
  let dueAt = 0;
  let startedAt = 0;

  function play() {
    const playing = video.play();
    // refused for a moment, such as in a tab that was never seen: watch() asks again
    if (playing) playing.catch(() => {});
  }

  function detach() {
    if (!isAttached) return;
    isAttached = false;
    isPlaying = false;
    if (hls) hls.destroy();
    hls = null;
    video.removeAttribute("src");
    video.load();
    changed();
  }

  function fail() {
    if (!isAttached) return;
    failures++;
    dueAt = performance.now() + retryMs(failures, Math.random());
    detach();
  }

  function attachHls(Library: typeof HlsType) {
    const { Events } = Library;
    hls = new Library(WALL_HLS_OPTIONS);
    hls.on(Events.MANIFEST_PARSED, play);
    hls.on(Events.LEVEL_LOADED, (_, { details }) => {
      stall.playlistLoaded(details.endSN, details.targetduration, performance.now());
    });
    hls.on(Events.ERROR, (_, { fatal }) => fatal && fail());
    hls.loadSource(feed);
    hls.attachMedia(video);
  }

  video.addEventListener("playing", () => {
    if (!isAttached || isPlaying) return;
    isPlaying = true;
    changed();
  });
  video.addEventListener("ended", fail);
  // only the native player reports here what hls.js reports as its own error
  video.addEventListener("error", () => hls === null && fail());

  return {
    isPlaying: () => isPlaying,
    failures: () => failures,
    isDue: (now) => !isAttached && now >= dueAt,
    start(now) {
      isAttached = true;
      startedAt = now;
      stall.start(now);
      if (typeof Hls !== "undefined" && Hls.isSupported()) return attachHls(Hls);
      if (!video.canPlayType("application/vnd.apple.mpegurl")) return fail();
      video.src = feed;
      play();
    },
    watch(now) {
      if (!isAttached) return;
      if (stall.verdict(video.currentTime, now) !== "fine") return fail();
      if (isPlaying && now - startedAt > STEADY_MS) failures = 0;
      if (video.paused) play();
    },
    stop() {
      detach();
      failures = 0;
      dueAt = 0;
    },
  };
}
