/** The buttons over the wall, which are there while somebody moves the mouse or touches the screen. */
import { canFillScreen, toggleFullScreen } from "../full_screen.ts";

const SHOWN_MS = 3000;

/** @param leave null where there is nothing to go back to. */
export function showTools(leave: (() => void) | null): void {
  const [back, screen] = ["back", "full-screen"].map((id) => document.getElementById(id)!);
  let timer: ReturnType<typeof setTimeout> | undefined;

  function show() {
    document.body.classList.add("is-active");
    clearTimeout(timer);
    timer = setTimeout(() => document.body.classList.remove("is-active"), SHOWN_MS);
  }

  back.hidden = leave === null;
  if (leave) back.addEventListener("click", leave);
  screen.hidden = !canFillScreen;
  screen.addEventListener("click", toggleFullScreen);
  for (const event of ["mousemove", "touchstart", "focusin"]) addEventListener(event, show);
}
