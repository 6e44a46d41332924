/** The part of a board that the server writes at once: the server renders no other page meanwhile. */
import { type PublicStream, withoutForeignFields } from "../../lib/model/schema.ts";
import { type BoardState, statusOf } from "./boardState.ts";
import { type BoardFilter, matches, NO_FILTER } from "./filter/filter.ts";
import type { StreamStatus } from "../../lib/model/answers/shapes.ts";

/** The number of cards that a screen of 1920 × 1080 shows: each is 32 elements, and 3.5 kB of HTML and data. */
export const FIRST_CARDS = 18;

/** Names and groups are long and may need many escapes: cards after these, far below the screen, show their id. */
const NAMED_CARDS = 100;

/** The board with its first streams, and the names of the others. @param streams all streams in card order. */
export function firstCards(
  streams: readonly PublicStream[],
  statuses: Record<string, StreamStatus>,
  filter: BoardFilter = NO_FILTER,
): BoardState {
  const first = streams.slice(0, FIRST_CARDS).map(withoutForeignFields);
  return {
    streams: first,
    statuses: Object.fromEntries(first.map((stream) => [stream.id, statusOf(stream, statuses)])),
    pending: streams.slice(FIRST_CARDS).map((stream, at) => {
      const { id, name, group } = stream;
      const { state } = statusOf(stream, statuses);
      const texts = at < NAMED_CARDS ? { name, group } : { name: id, group: "" };
      return { id, ...texts, state, ...(matches(filter, stream, state) ? {} : { isOut: true }) };
    }),
  };
}
