/**
 * The script of the HTML players: plays the channel that the video element's data attributes name. With a Back button on
 * the page it is the TV player. Built into one file for browsers from 2017 on (scripts/player.ts).
 */
import { goBack } from "./back.ts";
import { channelChange } from "./channel_change.ts";
import { showControls } from "./controls.ts";
import { canFillScreen, toggleFullScreen } from "./full_screen.ts";
import { type Action, actionOf } from "./keys.ts";
import { playLive } from "./live.ts";
import { messagesIn } from "./messages.ts";
import { chooseOther, playerMode } from "./mode.ts";
import { keepSession } from "./session.ts";
import { soundOf } from "./sound.ts";

const VOLUME_STEP = 0.1;

const video = document.getElementById("video") as HTMLVideoElement;
const isTv = document.getElementById("back") !== null;
const { stream = "", source = "", statuses = "", channels = "", mediaPort = "" } = video.dataset;
const { instant = "", library = "", mode: defaultMode, mayStart } = video.dataset;
const direct = mediaPort &&
  `${location.protocol}//${location.hostname}:${mediaPort}/live/${stream}/index.m3u8`;

const message = document.getElementById("message")!;
const messages = messagesIn(message);
const sound = soundOf(
  video,
  messages,
  isTv ? "Press OK or Unmute to turn it on." : "Touch the picture or press a key to turn it on.",
);
const first = { id: stream, statuses, proxy: source, direct, instant };
let mode = playerMode(defaultMode);
const live = playLive(video, first, messages, sound, { mode, library, mayStart: mayStart === "true" });

function resume() {
  if (live.isPaused()) live.connect();
}

/** Instant, about half a second behind the page, or steady, by HLS. */
function switchMode() {
  mode = chooseOther(mode);
  live.setMode(mode);
  messages.hint(mode === "instant" ? "Instant: the least delay" : "Steady: a few seconds later");
}

function act(action: Action) {
  if (action === "mode") switchMode();
  else if (action === "pause" || action === "toggle" && !live.isPaused()) live.pause();
  else if (action === "play" || action === "toggle") resume();
  else if (action === "mute") sound.toggle();
  else if (action === "up" || action === "louder") sound.louder(VOLUME_STEP);
  else if (action === "down" || action === "quieter") sound.louder(-VOLUME_STEP);
  else {
    resume();
    sound.gesture();
  }
}

/** Browsers hand media keys to the media session, not to the page. */
function listenToMediaKeys() {
  if (!("mediaSession" in navigator)) return;
  const handlers = { play: resume, pause: live.pause, stop: live.pause };
  for (const name of ["play", "pause", "stop"] as const) {
    try {
      navigator.mediaSession.setActionHandler(name, handlers[name]);
    } catch (_) {
      // "stop" came later than the others
    }
  }
}

/** Buttons, channels and full screen. */
function beTelevision() {
  const ids = ["back", "to-channels", "mode", "full-screen", "mute", "banner", "channels"];
  const [back, button, modeButton, screen, mute, banner, list] = ids.map((id) =>
    document.getElementById(id) as HTMLButtonElement
  );
  const change = channelChange({ video, banner, list, button }, channels, live, first);

  screen.hidden = !canFillScreen;
  screen.addEventListener("click", toggleFullScreen);
  button.addEventListener("click", change.openList);
  const showMode = () => {
    modeButton.setAttribute("aria-pressed", String(mode === "instant"));
  };
  showMode();
  modeButton.addEventListener("click", () => {
    switchMode();
    showMode();
  });

  showControls({ back, mute, row: [back, button, modeButton, screen, mute] }, video, {
    back: goBack,
    mute: sound.toggle,
    takes: change.takes,
    act: (action) => action === "fullScreen" ? toggleFullScreen() : act(action),
    ok() {
      // a remote control has no Tab key to get to it
      const offer = message.querySelector<HTMLElement>("a,button");
      if (offer) {
        offer.click();
        return true;
      }
      const wasPaused = live.isPaused();
      resume();
      return !sound.gesture() && !wasPaused && change.openList();
    },
    isMuted: sound.isOff,
  });
  video.addEventListener("click", () => change.closeList() || act("ok"));
}

if (isTv) {
  beTelevision();
} else {
  const MEDIA: (Action | null)[] = ["play", "pause", "toggle", "mute", "louder", "quieter"];
  document.addEventListener("keydown", (event) => {
    const action = actionOf(event);
    act(action && MEDIA.indexOf(action) >= 0 ? action : "ok");
  });
  video.addEventListener("click", () => act("ok"));
}
listenToMediaKeys();
keepSession();
