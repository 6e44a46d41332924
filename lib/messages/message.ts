/** A message about a stream or the machine, and its words. Pure. */
import type { MessageKind } from "../model/receivers.ts";
import type { ToldState } from "./decision.ts";

export type MessageEvent =
  | "stream.degraded"
  | "stream.failed"
  | "stream.recovered"
  | "disk.full"
  | "disk.recovered"
  | "summary"
  | "test";

export interface Message {
  /** The same at each try, so that a receiver can recognise a repeated message. */
  id: string;
  event: MessageEvent;
  /** The kind of trouble; absent for a test and a summary. */
  kind?: MessageKind;
  /** Unix ms: when the state began. */
  at: number;
  /** Null for a test, a summary, and a message about the machine. */
  stream: { id: string; name: string } | null;
  state: ToldState | null;
  /** The reason, in a sentence; "" if none is known. A summary has a line for each message. */
  reason: string;
  /** Unix ms: when the stream was last well. */
  downSince: number | null;
  /** The page to look at; "" without PUBLIC_URL. */
  link: string;
  /** The page of what the stream showed as its trouble began; absent where none is kept, and without PUBLIC_URL. */
  pastLink?: string;
}

/** The look of each event: the colour as 0xRRGGBB, the priorities of ntfy and Gotify, the name of ntfy's emoji. */
const LOOKS: Record<MessageEvent, { color: number; ntfy: number; gotify: number; tag: string }> = {
  "stream.failed": { color: 0xc62828, ntfy: 4, gotify: 8, tag: "rotating_light" },
  "stream.degraded": { color: 0xef8f00, ntfy: 3, gotify: 5, tag: "warning" },
  "stream.recovered": { color: 0x2e7d32, ntfy: 3, gotify: 5, tag: "white_check_mark" },
  "disk.full": { color: 0xc62828, ntfy: 4, gotify: 8, tag: "floppy_disk" },
  "disk.recovered": { color: 0x2e7d32, ntfy: 3, gotify: 5, tag: "white_check_mark" },
  "summary": { color: 0x1565c0, ntfy: 3, gotify: 5, tag: "sunrise" },
  "test": { color: 0x1565c0, ntfy: 3, gotify: 5, tag: "wave" },
};

export const lookOf = ({ event }: Pick<Message, "event">) => LOOKS[event];

/** What the link to the past is called. */
export const PAST_LABEL = "What it showed then";

/** The message's first line. */
export function titleOf({ event, kind, stream, reason }: Message): string {
  const name = stream?.name ?? "";
  if (event === "test") return "Browser Stream: test message";
  if (event === "summary") return `${reason.split("\n").length} messages from the quiet hours`;
  if (event === "disk.full") return "The disk is nearly full";
  if (event === "disk.recovered") return "The disk has free space again";
  if (event === "stream.recovered") {
    return kind === "certificate" ? `The certificate of ${name} is valid again` : `${name} is back`;
  }
  if (kind === "signedOut") return `${name} is signed out`;
  if (kind === "certificate") return `${name} has a problem with its certificate`;
  return event === "stream.failed" ? `${name} has failed` : `${name} has a problem`;
}

/** The text after the first line; never empty, as some receivers refuse an empty text. */
export function textOf({ event, kind, at, reason, downSince }: Message): string {
  if (event === "test") return "Messages about your streams arrive here.";
  if (event === "disk.recovered") return "Streams and settings can be stored again.";
  if (event !== "stream.recovered") return reason || "Its log has the details.";
  if (kind === "certificate") return "Its page can be shown.";
  return downSince === null
    ? "It runs again."
    : `It runs again. It was down for ${duration(at - downSince)}.`;
}

/** The line that leads to what the stream showed; null: nothing of it is kept. */
export function pastLine({ pastLink }: Message): string | null {
  return pastLink ? `${PAST_LABEL}: ${pastLink}` : null;
}

/** A duration such as "45 s", "12 min", "3 h 5 min". */
function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
