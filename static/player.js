/**
 * The minimal player: plays one live channel and never gives up. Plain ES2017, since televisions and old tablets
 * run it as it is. What it plays is in the video element's data attributes.
 */
(() => {
  "use strict";

  /** Media sequence or picture standing still for this long is a stall. Segments last 1 s. */
  const STALL_MS = 5000;
  /** A first picture that is not there after this long is not coming; slow starts are no stalls. */
  const START_MS = 20000;
  const SLOWEST_RETRY_S = 10;
  /** The service looks at its programs every 3 s, so asking more often tells nothing new. */
  const STATUS_POLL_S = 3;
  const STATUS_TIMEOUT_MS = 5000;
  const HINT_MS = 5000;

  const HLS_OPTIONS = {
    liveSyncDurationCount: 2,
    liveMaxLatencyDurationCount: 6,
    maxLiveSyncPlaybackRate: 1.1,
    liveDurationInfinity: true,
    maxBufferLength: 10,
    backBufferLength: 10,
    // The rebuild below is the one that retries: it asks first whether the channel exists at all.
    manifestLoadPolicy: {
      default: { maxTimeToFirstByteMs: 8000, maxLoadTimeMs: 10000, timeoutRetry: null, errorRetry: null },
    },
  };

  const video = document.getElementById("video");
  const message = document.getElementById("message");
  const { stream, source, statuses } = video.dataset;

  let hls = null;
  let isAttached = false;
  let attachedAt = 0;
  let attempts = 0;
  let stallMs = STALL_MS;
  let sequence = -1;
  let sequenceAt = 0;
  let position = 0;
  let positionAt = 0;
  let hasSound = true;
  let needsGesture = false;
  let isHintShown = false;
  let messageTimer = 0;

  function say(text, delay = 0) {
    clearTimeout(messageTimer);
    if (delay === 0) message.textContent = text;
    else messageTimer = setTimeout(() => message.textContent = text, delay);
  }

  /** The channel's state; "none" if there is no such channel, "" if that cannot be told. */
  async function channelState() {
    // AbortSignal.timeout is missing on old iOS.
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), STATUS_TIMEOUT_MS);
    try {
      const response = await fetch(statuses, { signal: abort.signal, cache: "no-store" });
      if (!response.ok) return "";
      const all = await response.json();
      return all[stream] ? all[stream].state : "none";
    } catch (_) {
      return "offline";
    } finally {
      clearTimeout(timer);
    }
  }

  async function connect() {
    const state = await channelState();
    const reasons = {
      none: "No such channel.",
      stopped: "This channel is stopped.",
      failed: "This channel has failed. Its operator has to look after it.",
      offline: "The service cannot be reached. Trying again…",
    };
    if (reasons[state]) {
      say(reasons[state]);
      return retry(state === "stopped" || state === "failed" ? STATUS_POLL_S : SLOWEST_RETRY_S);
    }
    // No flash of text when the picture is there at once.
    say("Waiting for the picture…", attempts === 0 ? 1000 : 0);
    if (state === "starting") return retry(1);
    attach();
  }

  function retry(slowest) {
    const seconds = Math.min(slowest, Math.pow(2, attempts));
    attempts = Math.min(attempts + 1, 8);
    setTimeout(connect, seconds * 1000);
  }

  function attach() {
    isAttached = true;
    attachedAt = sequenceAt = positionAt = performance.now();
    sequence = -1;
    position = 0;
    stallMs = STALL_MS;
    if (typeof Hls !== "undefined" && Hls.isSupported()) return attachHls();
    if (video.canPlayType("application/vnd.apple.mpegurl")) {
      video.src = source;
      return play();
    }
    isAttached = false;
    say("This browser cannot play live video. A current Chrome, Edge, Firefox or Safari can.");
  }

  function attachHls() {
    hls = new Hls(HLS_OPTIONS);
    hls.on(Hls.Events.MANIFEST_PARSED, play);
    hls.on(Hls.Events.LEVEL_LOADED, (_, { details }) => {
      stallMs = Math.max(STALL_MS, details.targetduration * 2500);
      if (details.endSN === sequence) return;
      sequence = details.endSN;
      sequenceAt = performance.now();
    });
    hls.on(Hls.Events.ERROR, (_, { fatal }) => fatal && rebuild());
    hls.loadSource(source);
    hls.attachMedia(video);
  }

  function rebuild() {
    if (!isAttached) return;
    isAttached = false;
    if (hls) hls.destroy();
    hls = null;
    video.removeAttribute("src");
    video.load();
    say("Waiting for the picture…");
    retry(SLOWEST_RETRY_S);
  }

  /** With sound if the browser allows that without a gesture, else muted, else at the first gesture. */
  async function play() {
    video.muted = !hasSound;
    try {
      await video.play();
      needsGesture = false;
    } catch (error) {
      if (error.name !== "NotAllowedError" || !isAttached) return;
      if (hasSound) {
        hasSound = false;
        return play();
      }
      needsGesture = true;
      say("Touch the picture or press a key to play.");
    }
  }

  function onGesture() {
    if (hasSound && !needsGesture) return;
    hasSound = true;
    say("");
    play();
  }

  function watch() {
    if (!isAttached || needsGesture) return;
    const now = performance.now();
    if (video.currentTime !== position || document.hidden) {
      position = video.currentTime;
      positionAt = now;
    }
    if (video.currentTime === 0) {
      if (now - attachedAt > START_MS) rebuild();
      return;
    }
    const isSequenceStuck = hls !== null && now - sequenceAt > stallMs;
    if (isSequenceStuck || now - positionAt > stallMs) rebuild();
    else if (now - attachedAt > 2 * STALL_MS) attempts = 0;
  }

  video.addEventListener("playing", () => {
    say("");
    if (hasSound || needsGesture || isHintShown) return;
    isHintShown = true;
    say("Sound is off. Touch the picture or press a key to turn it on.");
    say("", HINT_MS);
  });
  // Only the native player reports here what hls.js reports as its own error.
  video.addEventListener("error", () => hls === null && rebuild());
  document.addEventListener("click", onGesture);
  document.addEventListener("keydown", onGesture);
  setInterval(watch, 1000);
  connect();
})();
