/**
 * The script of the HTML players: plays what the video element's data attributes name. With Back and Mute buttons on
 * the page it is the TV player. Built into one file for browsers from 2017 on (scripts/player.ts).
 */
import { goBack } from "./back.ts";
import { channelChange } from "./channel_change.ts";
import { showControls } from "./controls.ts";
import { canFillScreen, isFullScreen, onFullScreen, toggleFullScreen } from "./full_screen.ts";
import { type Action, actionOf } from "./keys.ts";
import { playLive } from "./live.ts";
import { messagesIn } from "./messages.ts";
import { keepSession } from "./session.ts";
import { soundOf } from "./sound.ts";

const VOLUME_STEP = 0.1;

const video = document.getElementById("video") as HTMLVideoElement;
const isTv = document.getElementById("back") !== null;
const { stream = "", source = "", statuses = "", channels = "", mediaPort = "" } = video.dataset;
const direct = mediaPort &&
  `${location.protocol}//${location.hostname}:${mediaPort}/live/${stream}/index.m3u8`;

const message = document.getElementById("message")!;
const messages = messagesIn(message);
const sound = soundOf(
  video,
  messages,
  isTv ? "Press OK or Unmute to turn it on." : "Touch the picture or press a key to turn it on.",
);
const first = { id: stream, statuses, proxy: source, direct };
const live = playLive(video, first, messages, sound);

function resume() {
  if (live.isPaused()) live.connect();
}

function act(action: Action) {
  if (action === "pause" || action === "toggle" && !live.isPaused()) live.pause();
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

function button(id: string): HTMLButtonElement {
  return document.getElementById(id) as HTMLButtonElement;
}

/** Buttons, channels and full screen. */
function beTelevision() {
  const [back, list, screen, mute] = ["back", "to-channels", "full-screen", "mute"].map(button);
  const banner = document.getElementById("banner")!;
  const panel = document.getElementById("channels")!;
  const change = channelChange({ video, banner, list: panel, button: list }, channels, live, first);

  const showScreen = () => {
    screen.querySelector("span")!.textContent = isFullScreen() ? "Leave full screen" : "Full screen";
  };
  screen.hidden = !canFillScreen();
  screen.addEventListener("click", toggleFullScreen);
  onFullScreen(showScreen);
  list.addEventListener("click", change.openList);

  showControls({ back, mute, row: [back, list, screen, mute] }, video, {
    back: goBack,
    mute: sound.toggle,
    takes: change.takes,
    act: (action) => action === "fullScreen" ? canFillScreen() && toggleFullScreen() : act(action),
    ok() {
      // a remote control has no Tab key to get to the link
      const link = message.querySelector("a");
      if (link) {
        link.click();
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
