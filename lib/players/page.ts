/** The HTML players: templates filled with a stream. */
import { asset } from "fresh/runtime";
import { streamLinks } from "../streams/links.ts";
import type { PublicStream } from "../streams/schema.ts";
import { render } from "../templates.ts";

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/**
 * A player's page for a stream.
 * @param values what this player's template needs beside the stream; not escaped.
 */
export function playerHtml(
  template: string,
  { id, name }: Pick<PublicStream, "id" | "name">,
  values: Record<string, string | number> = {},
): string {
  return render(template, {
    ...values,
    id,
    feed: streamLinks(id).feed,
    name: escapeHtml(name),
    hls: asset("/vendor/hls.light.min.js"),
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
