/** Which streams a board shows, and how the page's address says it. Pure. */
import { groupKey } from "../../../lib/model/group.ts";
import type { PublicStream } from "../../../lib/model/schema.ts";
import type { StreamState } from "../../../lib/model/answers/status.ts";
import { STATES } from "../boardState.ts";

export interface BoardFilter {
  /** Words that all have to be in a stream's name, group or address. */
  text: string;
  /** Any of them; empty for every one. */
  states: readonly StreamState[];
  /** The keys of groups, any of them; empty for every one, and "" for the streams without one. */
  groups: readonly string[];
}

export const NO_FILTER: BoardFilter = { text: "", states: [], groups: [] };

/** Nobody types more, and what an address says is written into the page. */
const MAX_TEXT = 200;
const MAX_GROUPS = 20;

/** The filter of an address, `?q=wall&state=failed&group=lobby`; what it cannot be is left out. */
export function filterOf(search: URLSearchParams): BoardFilter {
  const states = search.getAll("state");
  const groups = search.getAll("group").map((group) => groupKey(group).slice(0, MAX_TEXT));
  return {
    text: (search.get("q") ?? "").slice(0, MAX_TEXT),
    states: STATES.filter((state) => states.includes(state)),
    groups: [...new Set(groups)].slice(0, MAX_GROUPS),
  };
}

/** The first page's address with this filter, as a path. */
export function boardPath({ text, states, groups }: BoardFilter): string {
  const search = new URLSearchParams([
    ...(text.trim() ? [["q", text.trim()]] : []),
    ...states.map((state) => ["state", state]),
    ...groups.map((group) => ["group", group]),
  ]);
  return search.size > 0 ? `/?${search}` : "/";
}

export function isFiltering({ text, states, groups }: BoardFilter): boolean {
  return text.trim() !== "" || states.length > 0 || groups.length > 0;
}

/** The list with an item more or, if it is there, less. */
export function toggled<T>(list: readonly T[], item: T): T[] {
  return list.includes(item) ? list.filter((one) => one !== item) : [...list, item];
}

/** Whether the filter lets a stream through. @param stream one whose address is not known yet is found by the rest. */
export function matches(
  { text, states, groups }: BoardFilter,
  stream: Pick<PublicStream, "name" | "group"> & { url?: string },
  state: StreamState,
): boolean {
  if (states.length > 0 && !states.includes(state)) return false;
  if (groups.length > 0 && !groups.includes(groupKey(stream.group))) return false;
  const words = plain(text).split(/\s+/).filter(Boolean);
  const where = words.length > 0 ? plain(`${stream.name}\n${stream.group}\n${stream.url ?? ""}`) : "";
  return words.every((word) => where.includes(word));
}

/** As people type it: without capitals and accents. */
function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
