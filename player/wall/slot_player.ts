/** Plays one channel without sound in a slot, as long as it is wanted, and tries again with growing pauses. */
import type HlsType from "hls.js";
import { type InstantView, isInstantAvoided, playInstant } from "../instant.ts";
import { stallWatch } from "../stall.ts";
import { WALL_HLS_OPTIONS } from "./hls_options.ts";
import { retryMs } from "./retry.ts";

/** Defined by hls.js's own script, which an old browser or a broken network may not have loaded. */
declare const Hls: typeof HlsType | undefined;

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
  /** Frees the old player, and forgets its failures. */
  stop(): void;
}

/** @param changed is called when it begins to play, or stops. */
export function slotPlayer(video: HTMLVideoElement, feed: Feed, changed: () => void): SlotPlayer {
  const stall = stallWatch();
  let hls: HlsType | null = null;
  let instant: InstantView | null = null;
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
    if (instant) instant.destroy();
    instant = null;
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
    hls.loadSource(feed.hls);
    hls.attachMedia(video);
  }

  video.addEventListener("playing", () => {
    if (!isAttached || isPlaying) return;
    isPlaying = true;
    changed();
  });
  video.addEventListener("ended", fail);
  // only the native player reports here what hls.js reports as its own error
  video.addEventListener("error", () => hls === null && instant === null && fail());

  return {
    isPlaying: () => isPlaying,
    failures: () => failures,
    isDue: (now) => !isAttached && now >= dueAt,
    start(now) {
      isAttached = true;
      startedAt = now;
      stall.start(now);
      if (feed.isInstant() && !isInstantAvoided()) {
        // where that fails, the next tick begins with HLS
        const events = { onready: play, onlost: fail, onfail: detach };
        instant = playInstant(video, feed.transport, feed.library, events);
        return;
      }
      if (typeof Hls !== "undefined" && Hls.isSupported()) return attachHls(Hls);
      if (!video.canPlayType("application/vnd.apple.mpegurl")) return fail();
      video.src = feed.hls;
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
