import { fetchText } from "./fetch_text.ts";

const LIMIT_MS = 5000;

/**
 * A stream's state; "none": no such stream, "offline": nothing answers, "loggedOut": no session, "signedOut": no session
 * with a proxy in front of the service, "": it cannot be told.
 */
export type StreamState =
  | "stopped"
  | "waiting"
  | "planned"
  | "starting"
  | "running"
  | "degraded"
  | "failed"
  | "none"
  | "offline"
  | "loggedOut"
  | "signedOut"
  | "";

/** @param statuses address of the states of all streams. */
export async function streamState(statuses: string, id: string): Promise<StreamState> {
  try {
    const { status, text } = await fetchText(statuses, LIMIT_MS);
    if (status === 0) return "signedOut";
    // a proxy in front of us answers 502 and the like while the service restarts
    if (status >= 500) return "offline";
    if (status === 401) return "loggedOut";
    if (status !== 200) return "";
    const all = JSON.parse(text);
    return Object.prototype.hasOwnProperty.call(all, id) ? all[id].state : "none";
  } catch (_) {
    return "offline";
  }
}
