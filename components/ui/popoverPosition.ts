/** Pixels between a menu and its button or the window's edges. */
const GAP = 4;
const EDGE = 8;

/** Puts a `position: fixed` menu below its button, or above it where there is more room, always within the window. */
export function placeBeside(menu: HTMLElement, button: HTMLElement): void {
  const { width, height } = menu.getBoundingClientRect();
  const beside = button.getBoundingClientRect();
  const right = Math.min(document.documentElement.clientWidth, innerWidth) - EDGE;
  const bottom = innerHeight - EDGE;
  const below = beside.bottom + GAP;
  const above = beside.top - GAP - height;
  const top = below + height <= bottom ? below : above >= EDGE ? above : bottom - height;
  menu.style.top = `${Math.max(EDGE, top)}px`;
  menu.style.left = `${Math.max(EDGE, Math.min(beside.right - width, right - width))}px`;
}
