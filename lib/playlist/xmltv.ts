/** The programme guide (xmltv.dtd of the XMLTV project). A live page has no programmes, so each hour is one. Pure. */
import { escapeMarkup } from "../system/entities.ts";
import type { Channel } from "./channels.ts";
import { logoUrl } from "./m3u.ts";
import { oneLine } from "./text.ts";

export const XMLTV_TYPE = "application/xml; charset=utf-8";

const HOUR_MS = 3_600_000;
const HOURS = 48;

/** Text for content and attributes; U+FFFE and U+FFFF are no XML characters (XML 1.0, section 2.2). */
function xml(text: string): string {
  return escapeMarkup(oneLine(text).replace(/[\uFFFE\uFFFF]/g, ""));
}

/** A time as XMLTV writes it, in UTC: 20260131140000 +0000. */
function time(ms: number): string {
  return `${new Date(ms).toISOString().replace(/\D/g, "").slice(0, 14)} +0000`;
}

/**
 * The guide of the next 48 hours, from the hour that `now` (Unix ms) is in.
 * @param base what all addresses begin with, as in the playlist.
 */
export function guide(channels: readonly Channel[], base: string, now: number): string {
  const first = Math.floor(now / HOUR_MS) * HOUR_MS;
  const hours = Array.from({ length: HOURS }, (_, at) => [first + at * HOUR_MS, first + (at + 1) * HOUR_MS])
    .map(([start, stop]) => `start="${time(start)}" stop="${time(stop)}"`);
  const shown = channels.map((channel) => ({
    ...channel,
    title: xml(channel.name) || channel.id,
    icon: `<icon src="${xml(logoUrl(base, channel.id))}"/>`,
  }));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE tv SYSTEM "xmltv.dtd">',
    '<tv generator-info-name="Browser Stream">',
    ...shown.map(({ id, title, number, icon }) =>
      `<channel id="${id}"><display-name>${title}</display-name>` +
      `<display-name>${number}</display-name>${icon}</channel>`
    ),
    ...shown.flatMap((channel) => {
      const about = programme(channel);
      return hours.map((hour) => `<programme ${hour} channel="${channel.id}">${about}</programme>`);
    }),
    "</tv>\n",
  ].join("\n");
}

/** What is in a programme, in the order of the DTD. */
function programme({ title, pageHost, group, icon }: Channel & { title: string; icon: string }): string {
  const [desc, category] = [xml(pageHost), xml(group)];
  return `<title>${title}</title>` +
    (desc ? `<desc>${desc}</desc>` : "") +
    (category ? `<category>${category}</category>` : "") +
    icon;
}
