import type { BoardState } from "./boardState.ts";
import type { FeedEvent, StreamStatus } from "../../lib/model/answers/shapes.ts";

interface Told {
  board: BoardState;
  /** Whether the board has all of the news; else the page has to ask for the states again. */
  isWhole: boolean;
  /** The list's version in the last news; undefined: the news has none. */
  version?: string;
}

/**
 * The board after the service's news.
 * @param isEdited whether this viewer is changing a stream, or did so a moment ago: the shown state may then be newer
 * than the news.
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

/** The board so many seconds later: running programs have run for longer. */
export function aged(board: BoardState, seconds: number): BoardState {
  const statuses = Object.entries(board.statuses).map(([id, status]) => {
    const programs = status.programs.map((one) =>
      one.uptime > 0 ? { ...one, uptime: one.uptime + seconds } : one
    );
    return [id, { ...status, programs }];
  });
  return { ...board, statuses: Object.fromEntries(statuses) };
}
