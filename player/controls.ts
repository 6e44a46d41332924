/** The Back and Mute buttons of the TV player: there for 5 s after every movement, key or touch. */
import { type Action, actionOf } from "./keys.ts";

const SHOWN_MS = 5000;
/** A tap does not last longer. */
const TAP_MS = 1000;
/** A finger does not move further during a tap. */
const TAP_PX = 30;

export interface Controls {
  back: HTMLButtonElement;
  mute: HTMLButtonElement;
}

/** @param act does what a key asks for that does not concern the buttons. */
export function showControls(
  { back, mute }: Controls,
  video: HTMLVideoElement,
  on: { back: () => void; mute: () => void; act: (action: Action) => void; isMuted: () => boolean },
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
    const focused = document.activeElement;
    if (focused === back || focused === mute) (focused as HTMLElement).blur();
  }

  function choose(button: HTMLButtonElement) {
    chosen = button;
    button.focus();
  }

  function onKey(event: KeyboardEvent) {
    const wasShown = isShown();
    show();
    const action = actionOf(event);
    if (action === null) return;
    const focused = document.activeElement;
    if (action === "ok" && wasShown && (focused === back || focused === mute)) return; // its own click
    event.preventDefault();
    if (action === "back") return on.back();
    if (action === "left") return choose(back);
    if (action === "right") return choose(mute);
    if (action === "ok") choose(chosen);
    on.act(action);
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
  for (const button of [back, mute]) button.addEventListener("focus", () => chosen = button);
  document.addEventListener("mousemove", show);
  document.addEventListener("touchstart", onTouch, { passive: true });
  document.addEventListener("click", onClick, true);
  document.addEventListener("keydown", onKey);
  document.addEventListener("focusin", show);
  video.addEventListener("volumechange", showMuted);
  showMuted();
  show();
}
