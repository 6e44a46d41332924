/** All slots of a wall: their places, the ones that play, and the one that is heard. */
import { type Direction, nextPlace } from "./places.ts";
import { emptySlot, type Slot, slotOf } from "./slot.ts";
import type { Feed } from "./slot_player.ts";
import type { WallView } from "../../lib/model/answers/shapes.ts";

/** Players that are started at once: a weak client needs a moment for each. */
const STARTS_A_TICK = 4;

export interface WallPlayer {
  show(view: WallView): void;
  /** Everything that goes by the clock; a hidden page plays nothing. */
  tick(now: number): void;
  /** Chooses the next slot; the page is that one's if it was another's. */
  move(direction: Direction): void;
  /** Gives the whole page, and the sound, to the chosen slot, or shows all again. */
  enlarge(): void;
  /** @returns whether a slot had the whole page. */
  showAll(): boolean;
  /** Lets the chosen slot be heard, and no other; or none. */
  toggleSound(): void;
  /** Plays all of them anew, as their feeds are to be played now. */
  restart(): void;
}

/** @param base what every address begins with. @param feedOf of a stream, by its id. */
export function wallIn(root: HTMLElement, base: string, feedOf: (id: string) => Feed): WallPlayer {
  let slots: Slot[] = [];
  let loud: Slot | null = null;
  let large: Slot | null = null;
  /** The slots on the screen, as far as the browser tells. */
  const seen = typeof IntersectionObserver === "undefined" ? null : new WeakMap<Element, boolean>();
  const observer = seen && new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) seen.set(target, isIntersecting);
    look();
  });

  function look() {
    for (const slot of slots) slot.see(!document.hidden && (!seen || seen.get(slot.element) === true));
  }

  const playable = () => slots.filter(({ id }) => id !== "");

  function choose(slot: Slot | undefined) {
    for (const one of playable()) one.element.tabIndex = one === slot ? 0 : -1;
    if (slot) slot.element.focus();
  }

  function chosen(): Slot | undefined {
    return playable().filter(({ element }) => element === document.activeElement)[0];
  }

  function hear(slot: Slot | null) {
    loud = slot;
    for (const one of slots) one.setLoud(one === slot);
  }

  /** Gives the page to one, which is heard, too, or takes it back. */
  function fill(slot: Slot | null) {
    if (slot === large) slot = null;
    large = slot;
    // the style sheet lets a pressed one fill the page
    for (const one of playable()) one.element.setAttribute("aria-pressed", String(one === slot));
    hear(slot);
  }

  function remove(slot: Slot) {
    if (observer) observer.unobserve(slot.element);
    if (slot === loud) loud = null;
    if (slot === large) large = null;
    slot.end();
  }

  function add(slot: Slot) {
    root.appendChild(slot.element);
    if (observer) observer.observe(slot.element);
    if (slot.id === "") return;
    slot.element.addEventListener("click", () => {
      choose(slot);
      fill(slot);
    });
  }

  document.addEventListener("visibilitychange", look);

  return {
    show({ rows, columns, showNames, slots: shown }) {
      root.style.gridTemplateRows = `repeat(${rows}, minmax(0, 1fr))`;
      root.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
      root.classList.toggle("has-names", showNames);
      const before = slots.slice();
      // one that stays goes on playing wherever it is now: its element is not moved within the page
      slots = shown.map(({ stream, row, column, rowSpan, columnSpan }) => {
        const id = stream ? stream.id : "";
        const place = { row, column, rowSpan, columnSpan };
        const at = before.map((slot) => slot.id).indexOf(id);
        const slot = at >= 0
          ? before.splice(at, 1)[0]
          : stream
          ? slotOf(stream, place, base, feedOf)
          : emptySlot(place);
        slot.place = place;
        slot.element.style.gridArea = `${row} / ${column} / span ${rowSpan} / span ${columnSpan}`;
        // of a page in one column, where the grid's order is not the page's
        slot.element.style.order = String(row * 100 + column);
        if (at < 0) add(slot);
        if (stream) slot.update(stream);
        return slot;
      });
      before.forEach(remove);
      const all = playable();
      if (all.length > 0 && !all.some(({ element }) => element.tabIndex === 0)) all[0].element.tabIndex = 0;
      look();
    },
    tick(now) {
      let starts = STARTS_A_TICK;
      for (const slot of slots) {
        slot.watch(now);
        if (starts > 0 && slot.startIfDue(now)) starts--;
      }
    },
    move(direction) {
      const all = playable();
      const slot = chosen();
      if (!slot) return choose(all.filter(({ element }) => element.tabIndex === 0)[0]);
      const next = nextPlace(all.map(({ place }) => place), all.indexOf(slot), direction);
      if (next < 0) return;
      choose(all[next]);
      if (large) fill(all[next]);
    },
    enlarge() {
      const slot = chosen();
      if (slot) fill(slot);
    },
    showAll() {
      const was = large;
      fill(large);
      return !!was;
    },
    toggleSound: () => hear(loud ? null : chosen() || null),
    restart: () => slots.forEach((slot) => slot.restart()),
  };
}
