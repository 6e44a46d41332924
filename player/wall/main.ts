/** The script of a wall: many channels on one page, without sound but for one. Built into one file (scripts/player.ts). */
import { streamLinks } from "../../lib/model/links.ts";
import { toggleFullScreen } from "../full_screen.ts";
import { actionOf } from "../keys.ts";
import { messagesIn } from "../messages.ts";
import { chooseOther, playerMode } from "../mode.ts";
import { keepSession, loginLink, NO_SESSION } from "../session.ts";
import type { Direction } from "./places.ts";
import { showTools } from "./tools.ts";
import { fetchView } from "./view.ts";
import { wallIn } from "./wall.ts";

/** The service's own answers are some seconds old, so asking more often tells nothing new. */
const VIEW_MS = 5000;
const TICK_MS = 1000;

const root = document.getElementById("wall")!;
const { base = "", layout = "", list = "", library = "", mode: defaultMode } = root.dataset;
let mode = playerMode(defaultMode);
const wall = wallIn(root, base, (id) => {
  const { feed, transport } = streamLinks(id);
  return { hls: base + feed, transport: base + transport, library, isInstant: () => mode === "instant" };
});
const messages = messagesIn(document.getElementById("message")!);
const leave = list === "" ? null : () => location.href = list;

let timer: ReturnType<typeof setTimeout> | undefined;
let isAsking = false;

/** Asks for the wall again and again while somebody can see it. One timer is enough: thumbnails go by the answer. */
async function look() {
  clearTimeout(timer);
  if (isAsking || document.hidden) return;
  isAsking = true;
  const view = await fetchView(base, layout);
  isAsking = false;
  timer = setTimeout(look, VIEW_MS);
  if (view === "offline") return messages.state("The service cannot be reached. Trying again…");
  if (view === "loggedOut" || view === "signedOut") return messages.state(NO_SESSION[view], 0, loginLink());
  // nobody may see the wall's last pictures any more
  if (view === "none") {
    wall.show({ id: layout, name: "", rows: 1, columns: 1, showNames: false, slots: [] });
    return messages.state("This wall was deleted.");
  }
  document.title = view.name;
  wall.show(view);
  wall.tick(performance.now());
  const isEmpty = view.slots.every(({ stream }) => stream === null);
  messages.state(isEmpty ? "This wall is empty. Running streams appear here." : "");
}

function switchMode() {
  mode = chooseOther(mode);
  wall.restart();
}

/** @returns whether there was something to go back from. */
function goBack(): boolean {
  if (wall.showAll()) return true;
  if (!leave) return false;
  leave();
  return true;
}

document.addEventListener("visibilitychange", look);
addEventListener("online", look);
setInterval(() => document.hidden || wall.tick(performance.now()), TICK_MS);

document.addEventListener("keydown", (event) => {
  const action = actionOf(event);
  const isOnButton = /^(A|BUTTON)$/.test((event.target as Element).tagName);
  if (/^(left|right|up|down)$/.test(String(action))) wall.move(action as Direction);
  else if (action === "ok" && !isOnButton) wall.enlarge();
  else if (action === "mute") wall.toggleSound();
  else if (action === "fullScreen") toggleFullScreen();
  else if (action === "mode") tools.mode.click();
  else if (action !== "back" || !goBack()) return;
  event.preventDefault();
});

const tools = showTools(leave, { isInstant: () => mode === "instant", switchMode });
keepSession();
look();
