/** What the service says of the wall. */
import { fetchText } from "../fetch_text.ts";
import type { WallView } from "../../lib/model/answers/shapes.ts";

const LIMIT_MS = 8000;

/** Why there is no view: "none": no such wall, "loggedOut": no session, "offline": nothing answers. */
export type NoView = "none" | "loggedOut" | "offline";

/** @param base what every address begins with. */
export async function fetchView(base: string, layout: string): Promise<WallView | NoView> {
  try {
    const { status, text } = await fetchText(
      `${base}/api/walls/${encodeURIComponent(layout)}/view`,
      LIMIT_MS,
    );
    if (status === 200) return JSON.parse(text);
    if (status === 404) return "none";
    return status === 401 ? "loggedOut" : "offline";
  } catch (_) {
    return "offline";
  }
}
