/** What is said where nothing is kept. Pure. Times are Unix times in s. */
import { type Reason, timeText } from "../model/past.ts";
import { ServiceError } from "../errors.ts";
import { type Range } from "./query.ts";
import type { Why } from "./timeline.ts";

const WORDS: Readonly<Record<Reason, string>> = {
  visit: "somebody used the browser by VNC",
  cover: "the page was broken, and its display covered",
  off: "recording was off for the channel",
  disk: "the disk had too little room",
  stopped: "the channel was off the air",
  away: "another node, which had the channel then, is not heard",
};

/** Seconds until what happens now is there to be asked for. */
const SOON = 5;

interface Nearest {
  before: number | null;
  after: number | null;
}

/** 404: no picture of a moment is kept. @param now in which nothing is kept yet. */
export function noPicture(at: number, now: number, why: Why, nearest: Nearest): ServiceError {
  return nothingNear(nothingKept(timeText(at), why), at, now, why, nearest);
}

/** 404: nothing of a list is kept. @param now from which on nothing is kept yet. */
export function noFilm(
  { start, end }: Range,
  now: number,
  why: Why,
  nearest: Nearest,
): ServiceError {
  const text = nothingKept(`${timeText(start)} to ${timeText(end)}`, why);
  return nothingNear(text, start, now, why, nearest);
}

function nothingNear(
  text: string,
  at: number,
  now: number,
  { reason, node }: Why,
  nearest: Nearest,
): ServiceError {
  const [before, after] = [nearest.before, nearest.after].map((time) =>
    time === null ? null : timeText(time)
  );
  const isSoon = at >= now - SOON && at <= now + SOON && reason === null;
  const kept = [
    before && `${before} is the last moment before that is kept`,
    after && `${after} the first one after it`,
  ];
  const near = kept.filter((text) => text !== null).join(", and ");
  const whole = `${text} ${near ? `${near}.` : "The channel has no past here."}`;
  const extra = { before, after, ...reason ? { reason } : {}, ...node ? { node } : {} };
  return new ServiceError(404, whole, undefined, { extra, ...isSoon ? { retryAfterSeconds: SOON } : {} });
}

/** 404: nothing of a time is kept, or not all of it in one piece. */
export function nothingBetween(start: number, end: number): ServiceError {
  return new ServiceError(404, nothingKept(`${timeText(start)} to ${timeText(end)}`, { reason: null }));
}

function nothingKept(when: string, { reason, node }: Why): string {
  const words = node ? `the node ${node}, which had the channel then, is not heard` : reason && WORDS[reason];
  return `Nothing is kept of ${when}${words ? `: ${words}` : ""}.`;
}
