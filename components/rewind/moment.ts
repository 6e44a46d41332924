/** Moments of the past in words and in addresses. Pure. A moment is a Unix time in whole s. */
import { timeText } from "../../lib/model/past.ts";
import { KIND_WORDS } from "../log/eventText.ts";
import type { PastEvent } from "./past.ts";

const UNITS = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]] as const;
const RFC_3339 = /^\d{4}-\d\d-\d\dt\d\d:\d\d(:\d\d)?(\.\d+)?(z|[+-]\d\d:\d\d)$/i;

/** The moment of an address: RFC 3339, or Unix s. Null: it is none. */
export function parseMoment(text: string | null): number | null {
  const said = text?.trim().replace(" ", "+") ?? "";
  const time = /^\d{1,11}$/.test(said) ? Number(said) : RFC_3339.test(said) ? Date.parse(said) / 1000 : NaN;
  return Number.isNaN(time) ? null : Math.floor(time);
}

/** "03:12:07". @param timeZone absent: the viewer's own, as in all that follows. */
export function clockText(at: number, timeZone?: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone }).format(at * 1000);
}

/** "Sunday 29 November 2026" */
export function dateText(at: number, timeZone?: string): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone }).format(at * 1000).replace(",", "");
}

/** "CET" */
export function zoneText(at: number, timeZone?: string): string {
  const parts = new Intl.DateTimeFormat("en-GB", { hour: "numeric", timeZoneName: "short", timeZone });
  return parts.formatToParts(at * 1000).find(({ type }) => type === "timeZoneName")!.value;
}

/** "3 minutes". @param seconds at least 1. */
export function spanText(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds >= size)!;
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** "3 minutes ago". @param seconds of a moment that is yet to come, a number below 0. */
export function agoText(seconds: number): string {
  return seconds > 0 ? `${spanText(seconds)} ago` : seconds < 0 ? "yet to come" : "now";
}

/** "yesterday 14:02", "today 08:30", "Friday 27 November 14:02" */
export function dayText(at: number, now: number, timeZone?: string): string {
  const format = (options: Intl.DateTimeFormatOptions, time: number) =>
    new Intl.DateTimeFormat("en-GB", { ...options, timeZone }).format(time * 1000).replace(",", "");
  const day = (time: number) => format({ dateStyle: "short" }, time);
  const name = day(at) === day(now)
    ? "today"
    : day(at) === day(now - 86_400)
    ? "yesterday"
    : format({ weekday: "long", day: "numeric", month: "long" }, at);
  return `${name} ${format({ timeStyle: "short" }, at)}`;
}

/** "12 %", "less than 1 %". @param share in thousandths. */
export function shareText(share: number): string {
  return share < 10 ? "less than 1 %" : `${Math.round(share / 10)} %`;
}

/** "Page: The page is back.", on a wall "Clock, page: The page is back." */
export function pastEventText({ kind, text, stream }: PastEvent): string {
  const kindWord = KIND_WORDS[kind];
  return `${stream === undefined ? kindWord : `${stream}, ${kindWord.toLowerCase()}`}: ${text}`;
}

/** The name of a saved picture: "clock-2026-11-29T03-12-07.jpg", in UTC. */
export function pictureName(id: string, at: number): string {
  return `${id}-${timeText(at).replace("Z", "").replaceAll(":", "-")}.jpg`;
}
