/** The buttons of the TV player: there for 5 s after every movement, key or touch. */
import { type Action, actionOf } from "./keys.ts";

const SHOWN_MS = 5000;
/** A tap does not last longer. */
const TAP_MS = 1000;
/** A finger does not move further during a tap. */
const TAP_PX = 30;

export interface Controls {
  back: HTMLButtonElement;
  mute: HTMLButtonElement;
  /** From left to right, hidden ones as well. */
  row: HTMLButtonElement[];
}

export interface ControlsHandlers {
  back: () => void;
  mute: () => void;
  /** Carries out a key that does not concern the buttons. */
  act: (action: Action) => void;
  /** Whether a key is for something that is over the picture, or brings it there; then the buttons have no part in it. */
  takes: (event: KeyboardEvent) => boolean;
  /** OK while no button has the focus. @returns whether it is done; else a button gets the focus. */
  ok: () => boolean;
  isMuted: () => boolean;
}

export function showControls(
  { back, mute, row }: Controls,
  video: HTMLVideoElement,
  on: ControlsHandlers,
): void {
  const { classList } = document.body;
  const isShown = () => classList.contains("is-active");
  let hideTimer: ReturnType<typeof setTimeout> | undefined;
  let chosen = mute;
  let touch = { x: 0, y: 0, at: -Infinity };

  function show() {
    classList.add("is-active");
    clearTimeout(hideTimer);
    hideTimer = setTimeout(hide, SHOWN_MS);
  }

  function hide() {
    classList.remove("is-active");
    // a hidden button must not take the next key
    const button = focused();
    if (button) button.blur();
  }

  function focused(): HTMLButtonElement | undefined {
    return row.filter((button) => button === document.activeElement)[0];
  }

  function choose(button: HTMLButtonElement) {
    chosen = button;
    button.focus();
  }

  /** Left begins at the first button and Right at the last one. */
  function move(by: 1 | -1) {
    const buttons = row.filter((button) => !button.hidden);
    const button = focused();
    if (button) choose(buttons[buttons.indexOf(button) + by] || button);
    else choose(buttons[by < 0 ? 0 : buttons.length - 1]);
  }

  function onKey(event: KeyboardEvent) {
    const wasShown = isShown();
    if (on.takes(event)) return;
    const action = actionOf(event);
    if (action === "ok" && !(wasShown && focused()) && on.ok()) return event.preventDefault();
    show();
    if (action === null) return;
    if (action === "ok" && wasShown && focused()) return; // its own click
    event.preventDefault();
    if (action === "back") on.back();
    else if (action === "left") move(-1);
    else if (action === "right") move(1);
    else if (action === "ok") choose(chosen.hidden ? mute : chosen);
    else on.act(action);
    showMuted();
  }

  /** A finger that only brought the buttons back must not press the one that came up under it. */
  function onTouch({ touches }: TouchEvent) {
    const finger = touches && touches[0];
    if (finger && !isShown()) touch = { x: finger.clientX, y: finger.clientY, at: Date.now() };
    show();
  }

  function onClick(event: MouseEvent) {
    const isSamePoint = Math.abs(event.clientX - touch.x) < TAP_PX &&
      Math.abs(event.clientY - touch.y) < TAP_PX;
    if (!isSamePoint || Date.now() - touch.at > TAP_MS) return;
    event.preventDefault();
    event.stopPropagation();
  }

  function showMuted() {
    const isMuted = on.isMuted();
    mute.classList.toggle("is-muted", isMuted);
    mute.querySelector("span")!.textContent = isMuted ? "Unmute" : "Mute";
  }

  back.addEventListener("click", on.back);
  mute.addEventListener("click", () => {
    on.mute();
    showMuted();
  });
  document.addEventListener("mousemove", show);
  document.addEventListener("touchstart", onTouch, { passive: true });
  document.addEventListener("click", onClick, true);
  document.addEventListener("keydown", onKey);
  for (const button of row) {
    button.addEventListener("focus", () => {
      chosen = button;
      show();
    });
  }
  video.addEventListener("volumechange", showMuted);
  showMuted();
  show();
}
