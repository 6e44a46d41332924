/** The list of channels over the picture. */
import { type Channel, isOn, positionOf } from "./channels.ts";
import type { Action } from "./keys.ts";

/** Nobody leaves a list over a picture on purpose. */
const IDLE_MS = 20_000;
/** The rows that a key moves by; all other keys are for somebody else. */
const STEPS: { [A in Action]?: number } = {
  up: -1,
  down: 1,
  channelUp: -8,
  channelDown: 8,
  left: 0,
  right: 0,
  ok: 0,
};

export interface ChannelListView {
  /** @param current the id of the channel that plays. */
  open(channels: readonly Channel[], current: string): void;
  /** @returns whether it was open. */
  close(): boolean;
  /** Carries out a key. @returns whether it was for the list. */
  takes(event: KeyboardEvent, action: Action): boolean;
}

function newIn<Name extends keyof HTMLElementTagNameMap>(parent: Element, name: Name) {
  return parent.appendChild(document.createElement(name));
}

/** @param element the list's box, with the list in it. */
export function channelListIn(element: HTMLElement, choose: (channel: Channel) => void): ChannelListView {
  const list = element.firstElementChild!;
  let rows: HTMLElement[] = [];
  let opener: HTMLElement | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function close(): boolean {
    if (element.hidden) return false;
    clearTimeout(timer);
    element.hidden = true;
    if (opener) opener.focus();
    return true;
  }

  function stayOpen() {
    clearTimeout(timer);
    timer = setTimeout(close, IDLE_MS);
  }

  /** Moves the focus to the row, in the middle of the list if it can be there. */
  function focus(position: number) {
    const row = rows[Math.max(0, Math.min(rows.length - 1, position))];
    row.focus();
    element.scrollTop = row.offsetTop - (element.clientHeight - row.offsetHeight) / 2;
    stayOpen();
  }

  function rowOf(channel: Channel, isCurrent: boolean): HTMLElement {
    const { number, name, logo, state } = channel;
    const row = newIn(newIn(list, "li"), "button");
    if (isCurrent) row.setAttribute("aria-current", "true");
    if (!isOn(channel)) row.className = "is-off";
    for (const text of [number, name, isOn(channel) ? "" : state]) {
      newIn(row, "span").textContent = text as string;
    }
    if (logo) {
      const image = newIn(row, "img");
      image.alt = "";
      image.src = logo;
    }
    row.onclick = () => {
      // the focus goes to the picture, not to the button that opened the list
      opener = null;
      close();
      choose(channel);
    };
    return row;
  }

  element.addEventListener("scroll", stayOpen);

  return {
    close,
    open(channels, current) {
      opener = document.activeElement as HTMLElement;
      list.textContent = "";
      rows = channels.map((channel) => rowOf(channel, channel.id === current));
      element.hidden = false;
      focus(positionOf(channels, current));
    },
    takes(event, action) {
      const step = STEPS[action];
      const at = rows.indexOf(document.activeElement as HTMLElement);
      if (element.hidden) return false;
      if (action === "ok" && at >= 0) return true; // the row's own click
      if (action === "back" || action === "channels") close();
      else if (step === undefined) return false;
      else focus(at + step);
      event.preventDefault();
      return true;
    },
  };
}
