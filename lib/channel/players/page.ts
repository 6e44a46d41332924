/** The HTML players: templates filled with a stream. */
import { streamLinks } from "../../model/links.ts";
import type { PublicStream } from "../../model/schema.ts";
import { escapeMarkup } from "../../machine/tools/entities.ts";
import { render } from "../../templates.ts";

/**
 * A player's page for a stream.
 * @param asset an address of a static file as its build has it. @param values what this player's template needs beside the stream; not escaped.
 */
export function playerHtml(
  template: string,
  { id, name }: Pick<PublicStream, "id" | "name">,
  asset: (path: string) => string,
  values: { mode: string; mediaPort?: string | number; mayStart?: string },
): string {
  const { feed, transport } = streamLinks(id);
  return render(template, {
    ...values,
    id,
    feed,
    transport,
    name: escapeMarkup(name),
    hls: asset("/vendor/hls.light.min.js"),
    mpegts: asset("/vendor/mpegts.js"),
    player: asset("/vendor/player.js"),
    styles: asset("/player.css"),
  });
}

/**
 * The media server as the viewer's browser would reach it, for a content policy: the page's own host, whatever its
 * scheme. Null for an IPv6 address, which a policy cannot name (https://www.w3.org/TR/CSP3/#grammardef-host-source).
 * @param hostname of the page's address.
 */
export function mediaOrigin(hostname: string, mediaPort: number): string | null {
  return /^[a-z0-9.-]+$/i.test(hostname) ? `http://${hostname}:${mediaPort}` : null;
}

/** A header must not grow without bound. */
const MAX_ORIGINS = 50;

/** Where the logos of channels are, as a content policy can name it. */
export function logoOrigins(channels: readonly { logo: string }[]): string[] {
  const all = channels.flatMap(({ logo }) => URL.parse(logo)?.origin ?? []);
  return [...new Set(all)].filter((one) => /^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(one)).slice(0, MAX_ORIGINS);
}
