/** The HTML players: templates filled with a stream. */
import { asset } from "fresh/runtime";
import type { PublicStream } from "../streams/stream.ts";
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

/** The player's page for a stream. */
export function playerHtml(template: string, { id, name }: Pick<PublicStream, "id" | "name">): string {
  return render(template, {
    id,
    name: escapeHtml(name),
    hls: asset("/vendor/hls.light.min.js"),
    player: asset("/player.js"),
    styles: asset("/player.css"),
  });
}
