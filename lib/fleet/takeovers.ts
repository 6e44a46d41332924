/** Events of people who take a stream's browser over by VNC: their addresses, and how long they stayed. */
import type { AddEvent } from "../model/answers/events.ts";
import type { TakeoverListener } from "../vnc/gateway.ts";

/** What the gateway tells becomes events. @param asked takes each viewer who is about to come. */
export function takeoverEvents(addEvent: AddEvent, asked: TakeoverListener["asked"]): TakeoverListener {
  return {
    asked,
    began: (id, peer) => addEvent(id, "takeover", `Somebody at ${peer} took over the browser.`),
    ended: (id, peer, seconds) =>
      addEvent(id, "takeover", `Somebody at ${peer} left the browser after ${stayText(seconds)}.`),
  };
}

function stayText(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return `${Math.max(1, Math.round(seconds))} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
