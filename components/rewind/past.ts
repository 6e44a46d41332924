/** What the service is asked of a stream's past. Moments are Unix times in s. */
import type { Reason } from "../../lib/model/past.ts";
import type { StreamEvent } from "../../lib/model/answers/shapes.ts";
import { ApiError, isOfProxy, ProxyError, request } from "../client/api.ts";
import { type ApiPath, apiPath } from "../client/apiPath.ts";
import { serverNow } from "../client/serverClock.ts";

export interface Range {
  start: number;
  /** Exclusive. */
  end: number;
}

export interface Gap extends Range {
  /** Null: nobody knows. */
  reason: Reason | null;
  /** The node that has it, where that is away. */
  node?: string;
}

export interface Slot {
  start: number;
  /** Thousandths of the picture; 0: something happened, and nothing changed. */
  share: number;
  /** A bit for each of 16 x 9 cells, in hexadecimal. */
  cells: string;
  events: PastEvent[];
  /** Of a wall: the names of the streams that changed. */
  names?: string[];
}

export interface PastEvent extends StreamEvent {
  /** Of a wall: the name of its stream. */
  stream?: string;
}

export interface Changes extends Range {
  /** When it was asked for: what came later is not in it. */
  askedAt: number;
  scale: number;
  slots: Slot[];
  gaps: Gap[];
}

type Timed<Kind> = Omit<Kind, "start" | "end"> & { start: string };
interface ChangesAnswer {
  slots: (Omit<Timed<Slot>, "events"> & { events?: StreamEvent[] })[];
  gaps: { start: string; duration: number; reason?: Reason; node?: string }[];
}

const seconds = (time: string) => Date.parse(time) / 1000;

/** @throws {ApiError} */
export async function readChanges(id: string, { start, end }: Range, scale: number): Promise<Changes> {
  const path = apiPath`/streams/${id}/rewind/changes?start=${start}&end=${end}&scale=${scale}`;
  const askedAt = Math.floor(serverNow() / 1000);
  const { slots, gaps } = await request<ChangesAnswer>("GET", path);
  return {
    askedAt,
    start,
    end,
    scale,
    slots: slots.map(({ events = [], ...slot }) => ({ ...slot, events, start: seconds(slot.start) })),
    gaps: gaps.map(({ start, duration, reason = null, node }) => ({
      start: seconds(start),
      end: seconds(start) + duration,
      reason,
      node,
    })),
  };
}

/** The seconds that an answer may be behind what happened when it was asked for. */
const BEHIND = 15;

/** Whether it is known that a moment's picture is the one of a later moment, too. */
export function isQuiet(known: Changes, from: number, to: number): boolean {
  const { start, end, askedAt, scale, slots, gaps } = known;
  return from >= start && to < end && to < askedAt - BEHIND &&
    !slots.some((slot) => slot.share > 0 && slot.start <= to && slot.start + scale > from + 1) &&
    !gaps.some((gap) => gap.start <= to && gap.end > from);
}

/** Whether it is known that nothing is kept from a moment to a later one. */
export function isBare({ askedAt, gaps }: Changes, from: number, to: number): boolean {
  return to < askedAt - BEHIND && gaps.some(({ start, end }) => start <= from && to < end);
}

/** What is kept since a moment, without a gap's length in between; null: nothing. @throws {ApiError} */
export async function readKept(id: string, since: number): Promise<Range | null> {
  const path = apiPath`/streams/${id}/rewind?start=${since}`;
  const spans = await request<{ start: string; duration: number }[]>("GET", path);
  const last = spans.at(-1);
  return last ? { start: seconds(spans[0].start), end: seconds(last.start) + last.duration } : null;
}

export const pictureAddress = (id: string, at: number): ApiPath =>
  apiPath`/streams/${id}/rewind/picture.jpg?at=${at}`;

/** 12 x 12 pictures of 160x90, the first of `start`, each other one `step` s later. */
export const sheetAddress = (id: string, start: number, step: number): ApiPath =>
  apiPath`/streams/${id}/rewind/small.jpg?start=${start}&step=${step}`;

/** @param seconds at most 7200. @param speed one of 1, 10 and 60. */
export const filmAddress = (id: string, start: number, seconds: number, speed: number): ApiPath =>
  apiPath`/streams/${id}/rewind/index.m3u8?start=${start}&duration=${seconds}&speed=${speed}`;

export interface PastPicture {
  /** The moment that was asked for. */
  at: number;
  /** Since when it was shown; null: not known yet. */
  since: number | null;
  src: string;
  /** Of the picture itself. */
  size: { width: number; height: number } | null;
}

/** Why there is no picture of a moment. */
export interface NoPicture {
  at: number;
  text: string;
  reason: Reason | null;
  node?: string;
  /** The nearest moments that are kept. */
  before: number | null;
  after: number | null;
}

/** The picture of a moment, decoded, by an address of this page's own. @throws {ApiError} */
export async function readPicture(id: string, at: number): Promise<PastPicture | NoPicture> {
  const answer = await fetch(pictureAddress(id, at), { redirect: "manual" }).catch(() => {
    throw new ApiError("The service cannot be reached. The picture is tried again.");
  });
  if (isOfProxy(answer)) throw new ProxyError(answer.status);
  if (answer.status === 404 || !answer.ok) {
    const { error, before, after, reason = null, node } = await answer.json().catch(() => ({}));
    const text = error?.message ?? `The service answered with error ${answer.status}.`;
    if (answer.status !== 404 || before === undefined) throw new ApiError(text, answer.status);
    const near = (time: string | null) => time === null ? null : seconds(time);
    return { at, text, reason, node, before: near(before), after: near(after) };
  }
  const src = URL.createObjectURL(await answer.blob());
  const image = new Image();
  image.src = src;
  try {
    await image.decode();
  } catch {
    URL.revokeObjectURL(src);
    throw new ApiError("The picture of this moment cannot be shown: it is damaged.");
  }
  const since = seconds(answer.headers.get("memento-datetime") ?? "");
  const size = { width: image.naturalWidth, height: image.naturalHeight };
  return { at, since: Number.isNaN(since) ? null : since, src, size };
}
