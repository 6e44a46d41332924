/**
 * The programme guide (xmltv.dtd of the XMLTV project). A live page has no programmes, so each hour is one; with a weekly
 * plan, each time of that. Pure.
 */
import { escapeMarkup } from "../../machine/tools/entities.ts";
import type { Timetable } from "../../model/plan/timetable.ts";
import type { Steps } from "../../machine/tools/turns.ts";
import { type Channel, hostsOf } from "./channels.ts";
import { logoUrl } from "./m3u.ts";
import { oneLine } from "./text.ts";

export const XMLTV_TYPE = "application/xml; charset=utf-8";

const HOUR_MS = 3_600_000;
const HOURS = 48;
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

/** The times of the programmes; they are equally long. */
function hoursFrom(first: number): string[] {
  return Array.from(
    { length: HOURS },
    (_, at) => programmeStart(first + at * HOUR_MS, first + (at + 1) * HOUR_MS),
  );
}

/**
 * The guide of the next 48 hours, from the hour that `now` (Unix ms) is in, in parts of at most some 100 kB: that of a
 * thousand streams may be 40 MB, which nobody shall hold as a whole.
 * @param base what all addresses begin with, as in the playlist.
 */
export function* guideParts(channels: readonly Channel[], base: string, now: number): Generator<string> {
  const hours = hoursFrom(guideHour(now));
  yield HEAD;
  for (const channel of channels) yield channelLine(channel, base);
  for (const channel of channels) {
    const timetable = channel.timetable();
    if (timetable) yield plannedProgrammes(channel, timetable, base, guideHour(now));
    else {
      const rest = programmeRest(channel, base, channel.pageHosts);
      yield hours.map((hour) => hour + rest).join("");
    }
  }
  yield END;
}

/** How many bytes the parts are together. */
export function* guideSize(channels: readonly Channel[], base: string, now: number): Steps<number> {
  const hours = hoursFrom(guideHour(now));
  let size = HEAD.length + END.length;
  for (const channel of channels) {
    const timetable = channel.timetable();
    const programmes = timetable
      ? bytesOf(plannedProgrammes(channel, timetable, base, guideHour(now)))
      : HOURS * bytesOf(hours[0] + programmeRest(channel, base, channel.pageHosts));
    size += bytesOf(channelLine(channel, base)) + programmes;
    yield;
  }
  return size;
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

/** What its plan has on, and when nothing is. */
function plannedProgrammes(channel: Channel, timetable: Timetable, base: string, from: number): string {
  return timetable.periods(from, from + HOURS * HOUR_MS).map((period) => {
    const title = period.show.length > 0 ? titleOf(channel) : OFF_AIR;
    return programmeStart(period.from, period.to) +
      programmeRest(channel, base, hostsOf(period.show), title);
  }).join("");
}

/** What follows a programme's time, in the order of the DTD. */
function programmeRest(channel: Channel, base: string, hosts: string, title = titleOf(channel)): string {
  const [desc, category] = [xml(hosts), xml(channel.group)];
  return ` channel="${channel.id}"><title>${title}</title>` +
    (desc ? `<desc>${desc}</desc>` : "") +
    (category ? `<category>${category}</category>` : "") +
    `${iconOf(channel, base)}</programme>\n`;
}
