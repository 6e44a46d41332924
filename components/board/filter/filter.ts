/** The filter of a board's streams, and its form in the page's address. Pure. */
import { groupKey } from "../groupKey.ts";
import type { PublicStream } from "../../../lib/model/schema.ts";
import type { StreamState } from "../../../lib/model/answers/status.ts";
import { STATES } from "../boardState.ts";
import { sortOf, sortText, type TableSort } from "../table/tableSort.ts";

export interface BoardFilter {
  /** Words that must all be in a stream's name, group or address. */
  text: string;
  /** The states of which a stream must have one; empty: every state. */
  states: readonly StreamState[];
  /** The keys of groups of which a stream must have one; empty: every group; "": streams without a group. */
  groups: readonly string[];
  /** The order of the table's rows; undefined: the board's own. */
  sort?: TableSort;
}

export const NO_FILTER: BoardFilter = { text: "", states: [], groups: [] };

/** People type less, and the address's text is written into the page. */
const MAX_TEXT = 200;
const MAX_GROUPS = 20;

/** The filter of an address, `?q=wall&state=failed&group=lobby&sort=-name`; invalid parts are left out. */
export function filterOf(search: URLSearchParams): BoardFilter {
  const states = search.getAll("state");
  const groups = search.getAll("group").map((group) => groupKey(group).slice(0, MAX_TEXT));
  const sort = sortOf(search.get("sort"));
  return {
    text: (search.get("q") ?? "").slice(0, MAX_TEXT),
    states: STATES.filter((state) => states.includes(state)),
    groups: [...new Set(groups)].slice(0, MAX_GROUPS),
    ...(sort ? { sort } : {}),
  };
}

/** The first page's address with this filter, as a path. */
export function boardPath({ text, states, groups, sort }: BoardFilter): string {
  const search = new URLSearchParams([
    ...(text.trim() ? [["q", text.trim()]] : []),
    ...states.map((state) => ["state", state]),
    ...groups.map((group) => ["group", group]),
    ...(sort ? [["sort", sortText(sort)]] : []),
  ]);
  return search.size > 0 ? `/?${search}` : "/";
}

export function isFiltering({ text, states, groups }: BoardFilter): boolean {
  return text.trim() !== "" || states.length > 0 || groups.length > 0;
}

/** The list with the item added or, if the list has it, removed. */
export function toggled<T>(list: readonly T[], item: T): T[] {
  return list.includes(item) ? list.filter((one) => one !== item) : [...list, item];
}

/** Whether the filter lets a stream through. @param stream without a known address its other fields decide. */
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

/** The text without capitals, accents and invisible characters, as people type it. */
function plain(text: string): string {
  return text.normalize("NFKD").replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "").toLowerCase();
}
