/** The card that the keys were on last, kept for the tab: a person who comes back from the player goes on there. */

/** The TV player writes it, too, when it changes the channel (player/channel_change.ts). */
const KEY = "board-card";

export function rememberCard(id: string): void {
  try {
    sessionStorage.setItem(KEY, id);
  } catch {
    // forbidden by the browser's settings: then the keys begin at the first card
  }
}

/** The id; null when there is none. */
export function rememberedCard(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}
