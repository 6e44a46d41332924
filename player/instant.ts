/**
 * The instant view: the channel as one transport stream by a WebSocket, shown within a second by mpegts.js. Where that
 * cannot be, the players go back to HLS by themselves, for a while.
 */
import type Package from "mpegts.js";
import { paceOf } from "./pace.ts";
import { store, stored } from "./kept.ts";

/** Defined by mpegts.js's own script, which is loaded when it is needed. */
declare const mpegts: Library | undefined;

type Library = typeof Package.default;
type Player = ReturnType<Library["createPlayer"]>;

const LIBRARY_LIMIT_MS = 8000;
/** So many stalls within so long are too many. */
const [MOST_STALLS, STALLS_MS] = [3, 60_000];
/** How long HLS is played after the instant view has failed. */
const AVOID_MS = 600_000;
const AVOID_KEY = "player-instant-failed";
/** A picture that stands still for so long is a stall; a key frame that comes late is none. */
const STALL_MS = 500;
const LOOK_MS = 200;
/** Seconds behind the newest picture: further behind, the player jumps. */
const FARTHEST_S = 2.4;
/** Seconds that are left after a jump: a page that stands still has a picture, and its sound, each half second. */
const LEFT_S = 0.7;

const CONFIG: Parameters<Library["createPlayer"]>[1] = {
  isLive: true,
  enableStashBuffer: false,
  lazyLoad: false,
  // the page may stay open for months
  autoCleanupSourceBuffer: true,
  autoCleanupMaxBackwardDuration: 30,
  autoCleanupMinBackwardDuration: 10,
  // pace.ts keeps up: mpegts.js counts from the newest picture, which is half a second old where nothing changes
};

export interface InstantEvents {
  /** The library is there, and the picture may begin. */
  onready(): void;
  /** The connection has ended, as it does with the channel. */
  onlost(): void;
  /** It cannot be played this way here: `isAvoided` from now on. */
  onfail(): void;
}

export interface InstantView {
  destroy(): void;
}

/** Whether it has failed a moment ago in this tab. */
export function isInstantAvoided(): boolean {
  const since = Date.now() - Number(stored(AVOID_KEY) || 0);
  return since >= 0 && since < AVOID_MS;
}

function avoid() {
  store(AVOID_KEY, String(Date.now()));
}

let loading: Promise<boolean> | null = null;

/** Whether mpegts.js can play here. @param address of its script. */
function loaded(address: string): Promise<boolean> {
  loading = loading || new Promise<boolean>((done) => {
    const script = document.createElement("script");
    const end = () => {
      const isThere = typeof mpegts !== "undefined" && mpegts.isSupported();
      if (!isThere) loading = null;
      done(isThere);
    };
    script.onload = script.onerror = end;
    setTimeout(end, LIBRARY_LIMIT_MS);
    script.src = address;
    document.head.appendChild(script);
  });
  return loading;
}

/** Loads mpegts.js, so that it is there when a channel is to play. */
export function prepareInstant(address: string): void {
  loaded(address);
}

/** The address of a WebSocket beside this page. @param path of a transport stream. */
export function socketAddress(path: string, { protocol, host }: { protocol: string; host: string }): string {
  return `${protocol === "https:" ? "wss:" : "ws:"}//${host}${path}`;
}

/** Plays until it is destroyed, or has failed. */
export function playInstant(
  video: HTMLVideoElement,
  path: string,
  script: string,
  events: InstantEvents,
): InstantView {
  let player: Player | null = null;
  let isOver = false;
  let hasPlayed = false;
  let stalls: number[] = [];
  let shown = { time: -1, since: 0, isCounted: false };
  let timer: ReturnType<typeof setInterval> | undefined;
  const pace = paceOf();

  function destroy() {
    isOver = true;
    clearInterval(timer);
    video.playbackRate = 1;
    if (player) player.destroy();
    player = null;
  }

  function end(tell: () => void) {
    if (isOver) return;
    destroy();
    tell();
  }

  function fail() {
    avoid();
    end(events.onfail);
  }

  /** Counts the stalls: a picture that stands still, once for as long as it does. */
  function countStalls() {
    const now = performance.now();
    const { currentTime, paused } = video;
    if (currentTime !== shown.time || paused || !hasPlayed) {
      shown = { time: currentTime, since: now, isCounted: false };
    }
    if (shown.isCounted || now - shown.since < STALL_MS) return;
    shown.isCounted = true;
    pace.stalled();
    stalls = stalls.filter((at) => now - at < STALLS_MS).concat(now);
    if (stalls.length >= MOST_STALLS) fail();
  }

  /** Over a gap, which an encoder's restart leaves, and to the newest picture: by a jump where a hidden tab has fallen behind. */
  function keepUp() {
    const { buffered, currentTime } = video;
    if (buffered.length === 0 || video.seeking) return;
    const last = buffered.length - 1;
    const [start, newest] = [buffered.start(last), buffered.end(last)];
    const isBefore = currentTime < start;
    if (isBefore || newest - currentTime > FARTHEST_S) {
      video.currentTime = Math.max(start + 0.01, newest - LEFT_S);
      return;
    }
    const rate = pace.rate(newest - currentTime);
    if (video.playbackRate !== rate) video.playbackRate = rate;
  }

  function begin(library: Library) {
    const { Events } = library;
    library.LoggingControl.enableAll = false;
    const source = { type: "mpegts", isLive: true, url: socketAddress(path, location) };
    player = library.createPlayer(source, CONFIG);
    // before a picture: a proxy lets no WebSocket through, or too many watch
    const onend = () => hasPlayed ? end(events.onlost) : fail();
    player.on(Events.ERROR, onend);
    player.on(Events.LOADING_COMPLETE, onend);
    player.attachMediaElement(video);
    player.load();
    timer = setInterval(() => {
      keepUp();
      countStalls();
    }, LOOK_MS);
    events.onready();
  }

  video.addEventListener("playing", () => hasPlayed = true, { once: true });
  loaded(script).then((isThere) => {
    if (isOver) return;
    if (isThere && typeof mpegts !== "undefined") begin(mpegts);
    else fail();
  });
  return { destroy };
}
