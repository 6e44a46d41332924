/** The stream form's suggestions, taken from the present streams. Pure. */
import type { PublicStream } from "../../lib/model/schema.ts";

/** A name for a stream's duplicate that is not in `taken`, of at most 120 characters. */
export function copyName(name: string, taken: readonly string[]): string {
  for (let n = 1;; n++) {
    const end = n === 1 ? " copy" : ` copy ${n}`;
    const candidate = [...name].slice(0, 120 - end.length).join("").trimEnd() + end;
    if (!taken.includes(candidate)) return candidate;
  }
}

/** The groups in use, each once, by name. */
export function groupsOf(streams: readonly PublicStream[]): string[] {
  return [...new Set(streams.map(({ group }) => group))].filter(Boolean).sort((a, b) => a.localeCompare(b));
}
