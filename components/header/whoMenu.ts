/** What a remote control's arrow keys lead to while it is open. */
export const WHO_STOPS = ".who, .who-menu :is(a, button, summary)";

/** What the person's name in the header has opened; null: it is closed. */
export function openWhoMenu(): HTMLElement | null {
  const menu = document.getElementById("who");
  // an old television shows it in the header, always
  return menu && "popover" in menu && menu.matches(":popover-open") ? menu : null;
}
