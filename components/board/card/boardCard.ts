/** The last card under the keys, kept for the tab: a viewer goes on there after the player. */

/** The TV player also writes this entry when it changes the channel (player/channel_change.ts). */
const KEY = "board-card";

export function rememberCard(id: string): void {
  try {
    sessionStorage.setItem(KEY, id);
  } catch {
    // the browser's settings forbid the storage: the keys then begin at the first card
  }
}

/** The card's id; null: there is none. */
export function rememberedCard(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}
