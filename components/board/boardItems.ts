/** What the board lists: every stream, whether all is known of it yet, and whether the filter lets it through. Pure. */
import type { PublicStream } from "../../lib/model/schema.ts";
import type { StreamState } from "../../lib/model/answers/status.ts";
import { type BoardState, statusOf } from "./boardState.ts";
import { type BoardFilter, matches } from "./filter/filter.ts";
import { hasGroups, type Section, sectionsOf } from "./order/sections.ts";

export interface BoardItem {
  id: string;
  name: string;
  group: string;
  state: StreamState;
  /** Null until the first poll has brought it. */
  stream: PublicStream | null;
  isShown: boolean;
}

/** All streams in card order. @param isFirst whether it is still the filter that the page came with. */
export function boardItems(
  { streams, statuses, pending }: BoardState,
  filter: BoardFilter,
  isFirst: boolean,
): BoardItem[] {
  const known = streams.map((stream): BoardItem => {
    const { id, name, group } = stream;
    const { state } = statusOf(stream, statuses);
    return { id, name, group, state, stream, isShown: matches(filter, stream, state) };
  });
  const others = pending.map((stream): BoardItem => {
    const { id, name, group, state, isOut } = stream;
    // the service knew the addresses, too
    const isShown = isFirst ? !isOut : matches(filter, stream, state);
    return { id, name, group, state, stream: null, isShown };
  });
  return [...known, ...others];
}

/** The cards that are shown, in sections; one without a name when no stream has a group. */
export function shownSections(items: readonly BoardItem[]): Section<BoardItem>[] {
  const sections = hasGroups(items) ? sectionsOf(items) : [{ key: "", name: "", streams: items }];
  return sections
    .map((section) => ({ ...section, streams: section.streams.filter(({ isShown }) => isShown) }))
    .filter(({ streams }) => streams.length > 0);
}

/** The ids of the cards that a viewer sees, in the order on the page. @param isClosed whether a section is, by its key. */
export function seenIds(items: readonly BoardItem[], isClosed: (key: string) => boolean): string[] {
  return shownSections(items)
    .filter(({ key, name }) => name === "" || !isClosed(key))
    .flatMap(({ streams }) => streams.filter(({ stream }) => stream !== null).map(({ id }) => id));
}

/** The ids of the shown cards that share a list with this one. */
export function listOf(items: readonly BoardItem[], id: string): string[] {
  const lists = shownSections(items).map(({ streams }) => streams.map((item) => item.id));
  return lists.find((ids) => ids.includes(id)) ?? [];
}
