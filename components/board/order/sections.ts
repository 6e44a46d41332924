/** The board's sections: each group has one. Pure. */
import { groupKey } from "../groupKey.ts";

export interface Section<T> {
  /** The same key for all spellings of the group; empty for the streams without a group. */
  key: string;
  name: string;
  streams: T[];
}

export const NO_GROUP = "No group";

/** The streams by group, in the order of the groups' first cards. Streams without a group come last. */
export function sectionsOf<T extends { group: string }>(streams: readonly T[]): Section<T>[] {
  const sections = new Map<string, Section<T>>();
  for (const stream of streams) {
    const key = groupKey(stream.group);
    const section = sections.get(key);
    if (section) section.streams.push(stream);
    else sections.set(key, { key, name: stream.group.trim() || NO_GROUP, streams: [stream] });
  }
  const all = [...sections.values()];
  return [...all.filter(({ key }) => key !== ""), ...all.filter(({ key }) => key === "")];
}

/** Whether any stream has a group. */
export function hasGroups(streams: readonly { group: string }[]): boolean {
  return streams.some(({ group }) => groupKey(group) !== "");
}
