/** The buttons over the wall, which are there while somebody moves the mouse or touches the screen. */
import { canFillScreen, toggleFullScreen } from "../full_screen.ts";

const SHOWN_MS = 3000;

/** How the wall plays: instant, or steady by HLS. */
interface Modes {
  isInstant(): boolean;
  switchMode(): void;
}

/** @param leave null where there is nothing to go back to. @returns the button that changes how the wall plays. */
export function showTools(
  leave: (() => void) | null,
  { isInstant, switchMode }: Modes,
): { mode: HTMLElement } {
  const [back, mode, screen] = ["back", "mode", "full-screen"].map((id) => document.getElementById(id)!);
  let timer: ReturnType<typeof setTimeout> | undefined;

  function show() {
    document.body.classList.add("is-active");
    clearTimeout(timer);
    timer = setTimeout(() => document.body.classList.remove("is-active"), SHOWN_MS);
  }

  back.hidden = !leave;
  if (leave) back.addEventListener("click", leave);
  screen.hidden = !canFillScreen;
  screen.addEventListener("click", toggleFullScreen);
  const showMode = () => mode.setAttribute("aria-pressed", String(isInstant()));
  showMode();
  mode.addEventListener("click", () => {
    switchMode();
    showMode();
  });
  for (const event of ["mousemove", "touchstart", "focusin"]) addEventListener(event, show);
  return { mode };
}
