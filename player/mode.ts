/** How a viewer's browser plays channels: at once, or steadily. The operator's DEFAULT_PLAYER holds until a viewer chooses. */
import { store, stored } from "./kept.ts";

export type PlayerMode = "instant" | "steady";

const KEY = "player-mode";

function isMode(text: string | null | undefined): text is PlayerMode {
  return text === "instant" || text === "steady";
}

/** @param fallback the operator's default. */
export function playerMode(fallback: string | undefined): PlayerMode {
  const chosen = stored(KEY, "localStorage");
  if (isMode(chosen)) return chosen;
  return isMode(fallback) ? fallback : "steady";
}

/** The viewer's choice of the other one, which is kept. @returns it. */
export function chooseOther(than: PlayerMode): PlayerMode {
  const mode = than === "instant" ? "steady" : "instant";
  store(KEY, mode, "localStorage"); // where that is forbidden it holds until the page is loaded again
  return mode;
}
