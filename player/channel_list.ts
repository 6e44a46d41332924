/** The list of channels over the picture. */
import { type Channel, isOn } from "./channels.ts";
import type { Action } from "./keys.ts";

/** Nobody leaves a list over a picture on purpose. */
const IDLE_MS = 20_000;
/** Rows that the channel keys move by. */
const PAGE = 8;
const STEPS: { [A in Action]?: number } = { up: -1, down: 1, channelUp: -PAGE, channelDown: PAGE };
const USES = ["keydown", "mousemove", "touchstart", "wheel"];

export interface ChannelListView {
  /** @param current the id of the channel that plays. */
  open(channels: readonly Channel[], current: string): void;
  /** Shows newer channels, if it is open. */
  update(channels: readonly Channel[], current: string): void;
  close(): void;
  isOpen(): boolean;
  /** Does what a key asks for. @returns whether the browser has nothing to do for it any more. */
  act(action: Action): boolean;
}

/** @param element the list's box, with the list in it. */
export function channelListIn(element: HTMLElement, choose: (id: string) => void): ChannelListView {
  const list = element.querySelector("ul")!;
  const rows = () => list.getElementsByTagName("button");
  let opener: Element | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isOpen = () => !element.hidden;

  function close() {
    if (!isOpen()) return;
    clearTimeout(timer);
    element.hidden = true;
    list.textContent = "";
    if (opener instanceof HTMLElement) opener.focus();
  }

  function used() {
    clearTimeout(timer);
    timer = setTimeout(close, IDLE_MS);
  }

  function fill(channels: readonly Channel[], current: string) {
    list.textContent = "";
    for (const channel of channels) list.appendChild(rowOf(channel, channel.id === current));
  }

  /** Moves the focus to the row, in the middle of the list if it can be there. */
  function focus(position: number) {
    const all = rows();
    const row = all[Math.max(0, Math.min(all.length - 1, position))];
    if (!row) return;
    row.focus();
    element.scrollTop = row.offsetTop - (element.clientHeight - row.offsetHeight) / 2;
  }

  function focused(): number {
    return Array.prototype.indexOf.call(rows(), document.activeElement);
  }

  function currentRow(): number {
    return Array.prototype.indexOf.call(rows(), list.querySelector("[aria-current]"));
  }

  list.addEventListener("click", ({ target }) => {
    const row = (target as Element).closest("button");
    if (!row) return;
    // the picture is what is wanted now, not the button that opened the list
    opener = null;
    close();
    choose(row.value);
  });
  for (const name of USES) element.addEventListener(name, used, { passive: true });

  return {
    isOpen,
    close,
    open(channels, current) {
      opener = document.activeElement;
      element.hidden = false;
      fill(channels, current);
      focus(currentRow());
      used();
    },
    update(channels, current) {
      if (!isOpen()) return;
      const at = focused();
      const chosen = at < 0 ? "" : rows()[at].value;
      const top = element.scrollTop;
      fill(channels, current);
      const now = Array.prototype.map.call(rows(), (row: HTMLButtonElement) => row.value).indexOf(chosen);
      if (at >= 0) focus(now < 0 ? at : now);
      element.scrollTop = top;
    },
    act(action) {
      if (action === "back" || action === "channels") close();
      // the button's own click
      else if (action === "ok" && focused() >= 0) return false;
      else if (focused() < 0) focus(currentRow());
      else focus(focused() + (STEPS[action] || 0));
      return true;
    },
  };
}

function rowOf(channel: Channel, isCurrent: boolean): HTMLElement {
  const row = document.createElement("button");
  row.type = "button";
  row.value = channel.id;
  if (isCurrent) row.setAttribute("aria-current", "true");
  if (!isOn(channel)) row.className = "is-off";
  for (const text of [String(channel.number), channel.name, isOn(channel) ? "" : channel.state]) {
    const part = document.createElement("span");
    part.textContent = text;
    row.appendChild(part);
  }
  const item = document.createElement("li");
  item.appendChild(row);
  return item;
}
