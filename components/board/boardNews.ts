import type { BoardState } from "./boardState.ts";
import type { FeedEvent, StreamStatus } from "../../lib/model/answers/shapes.ts";

interface Told {
  board: BoardState;
  /** Whether all of it could be taken over; else the states have to be asked for once more. */
  isWhole: boolean;
  /** The version of the list that was told last; undefined: none was. */
  version?: string;
}

/**
 * The board after what the service has told.
 * @param isEdited whether this viewer is doing something with a stream, or did a moment ago: what is shown of it is
 * newer than what was told, or not to be known.
 */
export function withNews(
  local: BoardState,
  news: readonly FeedEvent[],
  isEdited: (id: string) => boolean,
): Told {
  let statuses = { ...local.statuses };
  let isWhole = true;
  let version: string | undefined;
  const change = (id: string, next: StreamStatus) => {
    if (isEdited(id)) isWhole = false;
    else statuses[id] = next;
  };
  for (const event of news) {
    switch (event.name) {
      case "state": {
        const before = statuses;
        version = event.data.version;
        statuses = { ...event.data.statuses };
        for (const id of Object.keys(before).filter(isEdited)) {
          statuses[id] = before[id];
          isWhole = false;
        }
        break;
      }
      case "status":
        change(event.data.id, event.data);
        break;
      case "thumbnail": {
        const { id, thumbAt } = event.data;
        if (Object.hasOwn(statuses, id)) {
          change(id, { ...statuses[id], thumbAt: thumbAt ?? undefined });
        }
        break;
      }
      case "list":
        version = event.data.version;
    }
  }
  return { board: { ...local, statuses }, isWhole, version };
}

/** The board so many seconds later: what runs has run for longer. */
export function aged(board: BoardState, seconds: number): BoardState {
  const statuses = Object.entries(board.statuses).map(([id, status]) => {
    const programs = status.programs.map((one) =>
      one.uptime > 0 ? { ...one, uptime: one.uptime + seconds } : one
    );
    return [id, { ...status, programs }];
  });
  return { ...board, statuses: Object.fromEntries(statuses) };
}
