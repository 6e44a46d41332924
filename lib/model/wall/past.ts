/** The page of a wall's past: which stream is where, and whose past may be seen. Pure. */
import type { Role } from "../../role.ts";
import type { WallView } from "../answers/shapes.ts";
import { maySeePast } from "../shown_stream.ts";
import type { WallGrid, WallSlot } from "./layout.ts";

export interface PastSlot extends WallSlot {
  /** Null for an empty slot. */
  name: string | null;
  /** Why its stream's past is not shown; null: it is. */
  says: string | null;
}

export interface PastWall extends WallGrid {
  id: string;
  name: string;
  slots: readonly PastSlot[];
}

interface Stream {
  id: WallSlot["stream"] & string;
  rewindFor?: unknown;
}

/** @param role of who looks at it. @param find gives what is stored of a stream. */
export function pastWall(
  { id, name, rows, columns, slots }: WallView,
  role: Role,
  find: (id: string) => Stream | undefined,
): PastWall {
  const slotOf = ({ stream: shown, ...place }: WallView["slots"][number]): PastSlot => {
    const { row, column, rowSpan, columnSpan } = place;
    const at = { row, column, rowSpan, columnSpan };
    if (shown === null) return { ...at, stream: null, name: null, says: null };
    const stream = find(shown.id);
    const says = shown.state === "self"
      ? "This is the wall itself."
      : !stream
      ? "This stream was deleted."
      : !maySeePast(role, stream)
      ? "Its past is for operators and admins."
      : null;
    return { ...at, stream: says === null ? stream!.id : null, name: shown.name, says };
  };
  return { id, name, rows, columns, slots: slots.map(slotOf) };
}
