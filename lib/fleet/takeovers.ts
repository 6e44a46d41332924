/** Events about people in a stream's browser by VNC: their addresses, and the length of each stay. */
import type { AddEvent } from "../model/answers/events.ts";
import type { TakeoverListener } from "../takeover/gateway.ts";
import type { Fleet } from "./fleet.ts";

/** Makes events of the gateway's reports, and tells each stream about the people in its browser. */
export function takeoverEvents(addEvent: AddEvent, fleet: Pick<Fleet, "find" | "watched">): TakeoverListener {
  return {
    asked: (id) => fleet.watched(id),
    coming: async (id) => await fleet.find(id)?.recording.hold("visit"),
    began: (id, peer) => addEvent(id, "takeover", `Somebody at ${peer} took over the browser.`),
    ended(id, peer, seconds) {
      fleet.find(id)?.page?.visited();
      addEvent(id, "takeover", `Somebody at ${peer} left the browser after ${stayText(seconds)}.`);
    },
  };
}

function stayText(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return `${Math.max(1, Math.round(seconds))} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
