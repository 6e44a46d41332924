/** One slot of a wall: the picture that plays, until then the thumbnail, and a few words where there is neither. */
import type { Place } from "./places.ts";
import { type Feed, type SlotPlayer, slotPlayer } from "./slot_player.ts";
import { streamLinks } from "../../lib/model/links.ts";
import type { ShownStream } from "../../lib/model/answers/shapes.ts";

/** Where there is nothing to play. */
const SAYS: { [State in ShownStream["state"]]?: string } = {
  gone: "This stream was deleted",
  stopped: "Stopped",
  planned: "Off the air",
  failed: "Failed",
  starting: "Starting…",
  self: "This wall itself",
};
const WAITING = "Waiting for the picture…";
const AGAIN = "No picture. Trying again…";

export interface Slot {
  readonly element: HTMLElement;
  /** The id of its stream; "" for an empty one. */
  readonly id: string;
  place: Place;
  update(stream: ShownStream): void;
  /** @param isSeen whether it is on the screen: else it stops, and loads nothing. */
  see(isSeen: boolean): void;
  /** @returns whether it was started. */
  startIfDue(now: number): boolean;
  watch(now: number): void;
  setLoud(isLoud: boolean): void;
  /** Begins anew, as its feed is to be played now. */
  restart(): void;
  end(): void;
}

function child<Name extends keyof HTMLElementTagNameMap>(
  parent: HTMLElement,
  name: Name,
  className: string,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.className = className;
  parent.appendChild(element);
  return element;
}

function newElement(): HTMLElement {
  const element = document.createElement("div");
  element.className = "slot";
  return element;
}

/** A slot that shows nothing. */
export function emptySlot(place: Place): Slot {
  const element = newElement();
  const nothing = () => {};
  return {
    element,
    id: "",
    place,
    update: nothing,
    see: nothing,
    startIfDue: () => false,
    watch: nothing,
    setLoud: nothing,
    restart: nothing,
    end: () => element.remove(),
  };
}

/** @param base what every address begins with. @param feedOf of a stream, by its id. */
export function slotOf(first: ShownStream, place: Place, base: string, feedOf: (id: string) => Feed): Slot {
  const element = newElement();
  const id = first.id;
  let stream: ShownStream = first;
  let isSeen = false;
  let isLoud = false;
  let thumbnail = "";
  const image = child(element, "img", "thumbnail");
  const video = child(element, "video", "video");
  const words = child(element, "p", "words");
  const name = child(words, "b", "");
  const state = child(words, "span", "");
  const caption = child(element, "p", "caption");
  const player: SlotPlayer = slotPlayer(video, feedOf(id), render);

  element.setAttribute("role", "button");
  element.tabIndex = -1;
  image.alt = "";
  image.hidden = true;
  image.onload = () => image.hidden = false;
  image.onerror = () => image.hidden = true;
  for (const attribute of ["muted", "playsinline"]) video.setAttribute(attribute, "");
  video.muted = true;
  video.tabIndex = -1;

  // a person who looks at a wall is a viewer for streams that wait for one
  const isOn = () => ["running", "degraded", "waiting"].indexOf(stream.state) >= 0;

  function showThumbnail() {
    // a loaded thumbnail stays under the video, for when that stops; a deleted stream has none
    if (!isSeen || player.isPlaying() || stream.thumbAt === undefined) return;
    const wanted = `${base}${streamLinks(id).thumbnail}?at=${stream.thumbAt}`;
    if (wanted === thumbnail) return;
    thumbnail = wanted;
    image.src = wanted;
  }

  function render() {
    const isPlaying = player.isPlaying();
    const says = SAYS[stream.state] || (isPlaying ? "" : player.failures() > 0 ? AGAIN : WAITING);
    element.className = `slot is-${stream.state}${isPlaying ? " is-playing" : ""}${isLoud ? " is-loud" : ""}`;
    name.textContent = stream.name;
    state.textContent = says;
    caption.textContent = stream.name;
    // its name may not be there to read; all other words are
    if (says === "") element.setAttribute("aria-label", `${stream.name} plays${isLoud ? " with sound" : ""}`);
    else element.removeAttribute("aria-label");
    showThumbnail();
  }

  render();
  return {
    element,
    id,
    place,
    update(next) {
      stream = next;
      // one that plays goes on: it may show the slate that a stream starts with
      if (!isOn() && stream.state !== "starting") player.stop();
      render();
    },
    see(seen) {
      if (seen === isSeen) return;
      isSeen = seen;
      if (!isSeen) player.stop();
      render();
    },
    startIfDue(now) {
      if (!isSeen || !isOn() || !player.isDue(now)) return false;
      video.muted = !isLoud;
      player.start(now);
      render();
      return true;
    },
    watch: (now) => player.watch(now),
    setLoud(loud) {
      isLoud = loud;
      video.muted = !loud;
      render();
    },
    restart: player.stop,
    end() {
      player.stop();
      image.onload = image.onerror = null;
      element.remove();
    },
  };
}
