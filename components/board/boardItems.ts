/** The board's items: every stream, known in full or not yet, let through by the filter or not. Pure. */
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
  /** Null until the first poll has brought the stream. */
  stream: PublicStream | null;
  isShown: boolean;
}

/**
 * All streams in card order.
 * @param isFirst whether the filter is still the page's first filter. @param hidden the streams that are being deleted.
 */
export function boardItems(
  { streams, statuses, pending }: BoardState,
  filter: BoardFilter,
  isFirst: boolean,
  hidden: ReadonlySet<string> = new Set(),
): BoardItem[] {
  const known = streams.filter(({ id }) => !hidden.has(id)).map((stream): BoardItem => {
    const { id, name, group } = stream;
    const { state } = statusOf(stream, statuses);
    return { id, name, group, state, stream, isShown: matches(filter, stream, state) };
  });
  const others = pending.map((stream): BoardItem => {
    const { id, name, group, state, isOut } = stream;
    // the service applied the first filter to the addresses, too
    const isShown = isFirst ? !isOut : matches(filter, stream, state);
    return { id, name, group, state, stream: null, isShown };
  });
  return [...known, ...others];
}

/** The shown cards in sections; there is one section without a name when no stream has a group. */
export function shownSections(items: readonly BoardItem[]): Section<BoardItem>[] {
  const sections = hasGroups(items) ? sectionsOf(items) : [{ key: "", name: "", streams: items }];
  return sections
    .map((section) => ({ ...section, streams: section.streams.filter(({ isShown }) => isShown) }))
    .filter(({ streams }) => streams.length > 0);
}

/** The ids of the cards that a viewer sees, in page order. @param isClosed whether the section of a key is closed. */
export function seenIds(items: readonly BoardItem[], isClosed: (key: string) => boolean): string[] {
  return shownSections(items)
    .filter(({ key, name }) => name === "" || !isClosed(key))
    .flatMap(({ streams }) => knownIds(streams));
}

/** The ids of those whose stream is known. */
export function knownIds(items: readonly BoardItem[]): string[] {
  return items.filter(({ stream }) => stream !== null).map(({ id }) => id);
}

/** The ids of the shown cards in this card's list. */
export function listOf(items: readonly BoardItem[], id: string): string[] {
  const lists = shownSections(items).map(({ streams }) => streams.map((item) => item.id));
  return lists.find((ids) => ids.includes(id)) ?? [];
}
