/**
 * The programme guide (xmltv.dtd of the XMLTV project). A live page has no programmes, so each hour is one; with a weekly
 * plan, each time of that. Pure.
 */
import { escapeMarkup } from "../../machine/tools/entities.ts";
import type { Period } from "../../model/plan/timetable.ts";
import type { Steps } from "../../machine/tools/turns.ts";
import { type Channel, hostsOf } from "./channels.ts";
import { logoUrl } from "./m3u.ts";
import { oneLine } from "./text.ts";

export const XMLTV_TYPE = "application/xml; charset=utf-8";

const HOUR_MS = 3_600_000;
const HOURS = 48;
const PAST_HOURS = 7 * 24;
const OFF_AIR = "Off the air";

// names no DTD: a parser that loads it, as Java's do, fails where it is not, as beside a copy (docs/decisions/iptv.md)
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<tv generator-info-name="Browser Stream">\n';
const END = "</tv>\n";

/** Text for content and attributes; U+FFFE and U+FFFF are no XML characters (XML 1.0, section 2.2). */
function xml(text: string): string {
  return escapeMarkup(oneLine(text).replace(/[\uFFFE\uFFFF]/g, ""));
}

/** A time as XMLTV writes it, in UTC: 20260131140000 +0000. */
function time(ms: number): string {
  return `${new Date(ms).toISOString().replace(/\D/g, "").slice(0, 14)} +0000`;
}

/** When the hour began that `now` (Unix ms) is in: until it is over, a guide is the same. */
export function guideHour(now: number): number {
  return Math.floor(now / HOUR_MS) * HOUR_MS;
}

function programmeStart(from: number, to: number): string {
  return `<programme start="${time(from)}" stop="${time(to)}"`;
}

/** The first hour of a past that begins at `since` (Unix ms): apps drop what is older than some days. */
export function pastHour(since: number, now: number): number {
  return Math.max(guideHour(since), guideHour(now) - PAST_HOURS * HOUR_MS);
}

/** The times of all programmes of the guide; they are equally long, and all hours of the past come before the others. */
function hoursAround(now: number): string[] {
  const first = guideHour(now) - PAST_HOURS * HOUR_MS;
  return Array.from(
    { length: PAST_HOURS + HOURS },
    (_, at) => programmeStart(first + at * HOUR_MS, first + (at + 1) * HOUR_MS),
  );
}

/** The first hour in the guide of a channel's past (`pastHour`), by the channel's id. */
export type PastHours = ReadonlyMap<string, number>;

/**
 * The guide of the next 48 hours, from the hour that `now` (Unix ms) is in, and of the past, in parts of at most some 200 kB:
 * that of a thousand streams may be 100 MB, which nobody shall hold as a whole.
 * @param base what all addresses begin with, as in the playlist. @param pasts of the channels with catch-up.
 */
export function* guideParts(
  channels: readonly Channel[],
  base: string,
  now: number,
  pasts: PastHours = new Map(),
): Generator<string> {
  const hours = hoursAround(now);
  yield HEAD;
  for (const channel of channels) yield channelLine(channel, base);
  for (const channel of channels) {
    const first = pasts.get(channel.id) ?? guideHour(now);
    const planned = plannedProgrammes(channel, base, first, now);
    if (planned !== null) yield planned;
    else {
      const rest = programmeRest(channel, base, channel.pageHosts);
      yield hours.slice(-hoursSince(first, now)).map((hour) => hour + rest).join("");
    }
  }
  yield END;
}

/** How many bytes the parts are together. */
export function* guideSize(
  channels: readonly Channel[],
  base: string,
  now: number,
  pasts: PastHours = new Map(),
): Steps<number> {
  const [hour] = hoursAround(now);
  let size = HEAD.length + END.length;
  for (const channel of channels) {
    const first = pasts.get(channel.id) ?? guideHour(now);
    const planned = plannedProgrammes(channel, base, first, now);
    const programmes = planned === null
      ? hoursSince(first, now) * bytesOf(hour + programmeRest(channel, base, channel.pageHosts))
      : bytesOf(planned);
    size += bytesOf(channelLine(channel, base)) + programmes;
    yield;
  }
  return size;
}

/** The hours of a channel whose first one in the guide is given. */
function hoursSince(first: number, now: number): number {
  return (guideHour(now) - first) / HOUR_MS + HOURS;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

const titleOf = ({ id, name }: Channel) => xml(name) || id;
const iconOf = (channel: Channel, base: string) => `<icon src="${xml(logoUrl(base, channel))}"/>`;

function channelLine(channel: Channel, base: string): string {
  const { id, number } = channel;
  return `<channel id="${id}"><display-name>${titleOf(channel)}</display-name>` +
    `<display-name>${number}</display-name>${iconOf(channel, base)}</channel>\n`;
}

/** What its plan has on from `from` on, and when nothing is; null: it has no plan. */
function plannedProgrammes(channel: Channel, base: string, from: number, now: number): string | null {
  const timetable = channel.timetable();
  if (!timetable) return null;
  const first = guideHour(now);
  const past = from < first ? channel.timetable(true)!.periods(from, first).flatMap(hourly) : [];
  return [...past, ...timetable.periods(first, first + HOURS * HOUR_MS)].map(({ from, to, show }) => {
    const title = show.length > 0 ? titleOf(channel) : OFF_AIR;
    return programmeStart(from, to) + programmeRest(channel, base, hostsOf(show), title);
  }).join("");
}

/** A time of the past in programmes of an hour at most, as players are shown two hours at most. */
function hourly({ from, to, show }: Period): Period[] {
  const periods: Period[] = [];
  for (let at = from; at < to;) {
    const next = Math.min(guideHour(at) + HOUR_MS, to);
    periods.push({ from: at, to: next, show });
    at = next;
  }
  return periods;
}

/** What follows a programme's time, in the order of the DTD. */
function programmeRest(channel: Channel, base: string, hosts: string, title = titleOf(channel)): string {
  const [desc, category] = [xml(hosts), xml(channel.group)];
  return ` channel="${channel.id}"><title>${title}</title>` +
    (desc ? `<desc>${desc}</desc>` : "") +
    (category ? `<category>${category}</category>` : "") +
    `${iconOf(channel, base)}</programme>\n`;
}
