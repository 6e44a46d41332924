/** Plays one live stream and never gives up. */
import type HlsType from "hls.js";
import { fetchText } from "./fetch_text.ts";
import { HLS_OPTIONS } from "./hls_options.ts";
import { type InstantView, isInstantAvoided, playInstant, prepareInstant } from "./instant.ts";
import type { PlayerMode } from "./mode.ts";
import { loginLink, NO_SESSION } from "./session.ts";
import type { Messages } from "./messages.ts";
import type { Sound } from "./sound.ts";
import { type FeedUrls, pickSource } from "./sources.ts";
import { stallWatch } from "./stall.ts";
import { type StreamState, streamState } from "./stream_state.ts";

/** Defined by hls.js's own script, which an old browser or a broken network may not have loaded. */
declare const Hls: typeof HlsType | undefined;

const MAX_RETRY_S = 10;
/** The service asks its programs every 3 s, so asking more often tells nothing new. */
const STATUS_POLL_S = 3;
const WATCH_MS = 1000;
/** A timer is this late only when its computer was asleep. */
const SLEEP_MS = 15_000;
/** After this long without a failure the next retry is quick again. */
const STEADY_MS = 10_000;
/** Waits for a segment are usually shorter, and are not mentioned. */
const WAITING_MS = 2000;

/** Programs start within it, also on a busy machine. */
const START_LIMIT_MS = 30_000;

const WAITING = "Waiting for the picture…";
/** States in which there is nothing to play, and how long to wait before asking again, in seconds at most. */
const REASONS: { [State in StreamState]?: [string, number] } = {
  none: ["This channel was deleted.", MAX_RETRY_S],
  stopped: ["This channel is stopped.", STATUS_POLL_S],
  planned: ["This channel is off by its plan.", STATUS_POLL_S],
  failed: ["This channel has failed. Ask its operator.", STATUS_POLL_S],
  loggedOut: [NO_SESSION.loggedOut, MAX_RETRY_S],
  signedOut: [NO_SESSION.signedOut, MAX_RETRY_S],
  offline: ["The service cannot be reached. Trying again…", MAX_RETRY_S],
  starting: [WAITING, 1],
};

export interface Live {
  /** Begins again, at the newest picture. */
  connect(): void;
  pause(): void;
  isPaused(): boolean;
  /** Plays in another mode from now on. */
  setMode(mode: PlayerMode): void;
  /**
   * Plays another stream from now on. One that is to run is played before the service is asked how it is, by the way
   * that the last one was played: what fails is asked for then.
   */
  tune(stream: LiveStream, isOn: boolean): void;
}

export interface LiveStream extends FeedUrls {
  id: string;
  /** Address of the states of all streams. */
  statuses: string;
  /** Path of the channel's transport stream, for the instant view. */
  instant: string;
}

export interface LiveOptions {
  mode: PlayerMode;
  /** Address of mpegts.js. */
  library: string;
  /** Whether OK starts a stopped channel: not in every player, and not for everyone. */
  mayStart: boolean;
}

export function playLive(
  video: HTMLVideoElement,
  first: LiveStream,
  messages: Messages,
  sound: Sound,
  options: LiveOptions,
): Live {
  const stall = stallWatch();
  let stream = first;
  let mode = options.mode;
  /** How the last one was played; null before that. */
  let way: keyof FeedUrls | "instant" | null = null;
  let hls: HlsType | null = null;
  let instant: InstantView | null = null;
  let isAttached = false;
  let isPaused = false;
  /** Counts attempts, so that an older one ends itself when a newer one has started. */
  let attempts = 0;
  let failures = 0;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let attachedAt = 0;
  let stuckAt = -1;
  let tick = { now: performance.now(), clock: Date.now(), isHidden: document.hidden };

  /** Ends the last attempt. @returns the number of the new one. */
  function nextAttempt(): number {
    clearTimeout(retryTimer);
    isPaused = false;
    detach();
    return ++attempts;
  }

  async function connect() {
    const attempt = nextAttempt();
    if (isInstant()) prepareInstant(options.library);
    const state = await streamState(stream.statuses, stream.id);
    if (attempt !== attempts) return;
    const reason = REASONS[state];
    // no flash of text when the picture is there at once
    const isStopped = state === "stopped";
    const offer = state in NO_SESSION
      ? loginLink()
      : isStopped && options.mayStart
      ? { text: "OK starts it.", go: start }
      : undefined;
    const text = (reason ? reason[0] : WAITING) + (isStopped && !offer ? " An operator can start it." : "");
    messages.state(text, failures === 0 && !reason ? WAITING_MS : 0, offer);
    if (reason) {
      video.removeAttribute("poster");
      return retry(reason[1]);
    }
    if (isInstant()) return attachInstant();
    const source = await pickSource(stream, stuckAt);
    if (attempt !== attempts) return;
    if (source === null) return retry(STATUS_POLL_S);
    way = source === stream.direct ? "direct" : "proxy";
    attach(source);
  }

  /** Has the service start the channel, which may be refused. */
  async function start() {
    const { id } = stream;
    messages.state(WAITING);
    let why: string | undefined = "The service cannot be reached.";
    try {
      const url = `/api/streams/${encodeURIComponent(id)}/start?wait=true`;
      const { error, noRoom } = JSON.parse((await fetchText(url, START_LIMIT_MS, "POST")).text);
      why = error ? error.message : noRoom && `No room now: ${noRoom}. It starts by itself.`;
    } catch (_) {
      // no answer, or not the service's
    }
    if (id !== stream.id) return;
    if (why) messages.hint(why);
    connect();
  }

  function tune(next: LiveStream, isOn: boolean) {
    stream = next;
    failures = 0;
    stuckAt = -1;
    messages.state(""); // it was about the other one
    if (!isOn || way === null) {
      connect();
      return;
    }
    nextAttempt();
    messages.state(WAITING, WAITING_MS);
    if (isInstant()) attachInstant();
    else attach(way !== "instant" && next[way] || next.proxy);
  }

  const isInstant = () => mode === "instant" && !isInstantAvoided() && stuckAt < 0;

  function attachInstant() {
    way = "instant";
    begin();
    instant = playInstant(video, stream.instant, options.library, {
      onready: sound.play,
      onlost: rebuild,
      // HLS at once: nothing is wrong with the channel
      onfail() {
        detach();
        connect();
      },
    });
  }

  function retry(maxSeconds: number) {
    const seconds = Math.min(maxSeconds, Math.pow(2, failures));
    failures = Math.min(failures + 1, 8);
    clearTimeout(retryTimer);
    retryTimer = setTimeout(connect, seconds * 1000);
  }

  function begin() {
    isAttached = true;
    attachedAt = performance.now();
    stall.start(attachedAt);
  }

  function attach(source: string) {
    begin();
    if (typeof Hls !== "undefined" && Hls.isSupported()) return attachHls(Hls, source);
    if (video.canPlayType("application/vnd.apple.mpegurl")) {
      video.src = source;
      sound.play();
      return;
    }
    isAttached = false;
    if (typeof Hls !== "undefined") {
      return messages.state(
        "This browser cannot play live video. A current Chrome, Edge, Firefox or Safari can.",
      );
    }
    messages.state("The player was not loaded completely. Trying again…");
    // the service has just answered, so this does not end on the browser's error page
    retryTimer = setTimeout(() => location.reload(), MAX_RETRY_S * 1000);
  }

  function attachHls(Library: typeof HlsType, source: string) {
    const { Events } = Library;
    hls = new Library(HLS_OPTIONS);
    hls.on(Events.MANIFEST_PARSED, () => sound.play());
    hls.on(
      Events.LEVEL_LOADED,
      (_, { details }) => stall.playlistLoaded(details.endSN, details.targetduration, performance.now()),
    );
    hls.on(Events.ERROR, (_, { fatal }) => fatal && rebuild());
    // the service holds its answer until the next segment is there: no look comes half a second late
    hls.loadSource(way === "direct" ? source : `${source}?wait=1`);
    hls.attachMedia(video);
  }

  function detach() {
    if (!isAttached) return;
    isAttached = false;
    if (hls) hls.destroy();
    hls = null;
    if (instant) instant.destroy();
    instant = null;
    video.removeAttribute("src");
    video.load();
    document.body.classList.add("is-dark");
  }

  function rebuild() {
    if (!isAttached) return;
    detach();
    if (isPaused) return;
    messages.state(WAITING);
    retry(MAX_RETRY_S);
  }

  function watch() {
    const last = tick;
    tick = { now: performance.now(), clock: Date.now(), isHidden: document.hidden };
    // one of the two clocks may stand still while a computer sleeps, and which one depends on its system
    const late = Math.max(tick.now - last.now, tick.clock - last.clock);
    const isSeen = !tick.isHidden && !last.isHidden;
    if (isPaused || sound.needsGesture()) return stall.restartTimers(tick.now);
    // timers of hidden pages are slowed down to one a minute
    if (late > SLEEP_MS && isSeen) {
      failures = 0;
      return connect();
    }
    if (!isAttached) return;
    if (!isSeen && video.muted) return stall.restartTimers(tick.now);
    const verdict = stall.verdict(video.currentTime, tick.now);
    if (verdict !== "fine") {
      stuckAt = verdict === "playlist" ? stall.sequence : -1;
      return rebuild();
    }
    if (tick.now - attachedAt > STEADY_MS) failures = 0;
    if (video.paused) sound.play(); // a phone call, a headset taken off, a page that was in the background
  }

  function returned() {
    if (document.hidden) return;
    stall.restartTimers(performance.now());
    if (!isAttached && !isPaused) connect();
  }

  video.addEventListener("playing", () => {
    stuckAt = -1;
    messages.state("");
    // it would come back, and be old, when this picture goes
    video.removeAttribute("poster");
    document.body.classList.remove("is-dark");
  });
  video.addEventListener("waiting", () => isAttached && messages.state(WAITING, WAITING_MS));
  video.addEventListener("ended", rebuild);
  // only the native player reports here what hls.js reports as its own error
  video.addEventListener("error", () => hls === null && instant === null && rebuild());
  document.addEventListener("visibilitychange", returned);
  addEventListener("online", returned);
  addEventListener("pageshow", ({ persisted }) => persisted && !isPaused && connect());
  setInterval(watch, WATCH_MS);
  connect();

  return {
    connect,
    isPaused: () => isPaused,
    pause() {
      if (!isAttached) return;
      isPaused = true;
      video.pause();
      // nothing is loaded for a picture that nobody sees
      if (hls) hls.stopLoad();
      if (instant) instant.destroy();
      messages.state("Paused. Press Play or OK to continue.");
    },
    setMode(next) {
      if (next === mode) return;
      mode = next;
      if (!isPaused) connect();
    },
    tune,
  };
}
