/** The service's answer about the wall. */
import { fetchText } from "../fetch_text.ts";
import type { WallView } from "../../lib/model/answers/shapes.ts";

const LIMIT_MS = 8000;

/** Why there is no view: "none": no such wall, "offline": nothing answers; no session with the service, or with a proxy. */
export type NoView = "none" | "offline" | "loggedOut" | "signedOut";

/** @param base what every address begins with. */
export async function fetchView(base: string, layout: string): Promise<WallView | NoView> {
  try {
    const { status, text } = await fetchText(
      `${base}/api/walls/${encodeURIComponent(layout)}/view`,
      LIMIT_MS,
    );
    if (status === 200) return JSON.parse(text);
    const reasons: { [status: number]: NoView } = { 0: "signedOut", 401: "loggedOut", 404: "none" };
    return reasons[status] || "offline";
  } catch (_) {
    return "offline";
  }
}
