import type { Remedy } from "../../lib/model/answers/page_health.ts";

/** The board with the form of a stream open, or the dialog of a remedy. */
export function editLink(id: string, remedy?: Remedy): string {
  return `/#edit=${encodeURIComponent(id)}${remedy ? `&remedy=${remedy}` : ""}`;
}
