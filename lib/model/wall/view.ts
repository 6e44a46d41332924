/** The data of a wall's page: the slots of a layout with their present streams. Pure. */
import type { PublicStream } from "../schema.ts";
import type { Wall } from "./wall.ts";
import { MAX_SIDE, RUNNING_WALL, wallOfAddress, type WallSlot } from "./layout.ts";
import type { ShownStream, StreamStatus, WallView } from "../answers/shapes.ts";

interface Shown extends Pick<PublicStream, "name" | "group" | "url"> {
  id: string;
}

export interface WallSource {
  /** All streams in card order. */
  streams: readonly Shown[];
  statuses: Readonly<Record<string, StreamStatus>>;
  /** Whether the client may see a stream. */
  maySee(stream: { id: string; group: string }): boolean;
}

/** The layout of all streams that are to run: as square as their number allows, with slots of one size. */
export function runningWall(ids: readonly string[]): Pick<Wall, "rows" | "columns" | "slots"> {
  const most = ids.slice(0, MAX_SIDE * MAX_SIDE);
  const columns = Math.max(1, Math.ceil(Math.sqrt(most.length)));
  const rows = Math.max(1, Math.ceil(most.length / columns));
  const slots = most.map((stream, at) => ({
    row: Math.floor(at / columns) + 1,
    column: at % columns + 1,
    rowSpan: 1,
    columnSpan: 1,
    stream: stream as WallSlot["stream"],
  }));
  return { rows, columns, slots };
}

/** Whether a stream is this very wall, which the wall must not show. */
function isOfWall(layout: string, { url }: Pick<Shown, "url">): boolean {
  return wallOfAddress(url) === layout;
}

/** The view of a stored wall. */
export function wallView(wall: Wall, { streams, statuses, maySee }: WallSource): WallView {
  const byId = new Map<string, Shown>(streams.map((stream) => [stream.id, stream]));
  const shown = (id: string | null): ShownStream | null => {
    if (id === null) return null;
    const stream = byId.get(id);
    if (!stream) return { id, name: id, state: "gone" };
    if (!maySee(stream)) return null;
    const { name } = stream;
    if (isOfWall(wall.id, stream)) return { id, name, state: "self" };
    const { state = "stopped", thumbAt } = Object.hasOwn(statuses, id) ? statuses[id] : {};
    return { id, name, state, ...(thumbAt === undefined ? {} : { thumbAt }) };
  };
  const { id, name, rows, columns, showNames } = wall;
  const slots = wall.slots.map(({ row, column, rowSpan, columnSpan, stream }) => ({
    row,
    column,
    rowSpan,
    columnSpan,
    stream: shown(stream),
  }));
  return { id, name, rows, columns, showNames, slots };
}

/** The view of the wall of all running streams; streams that show walls themselves are left out. */
export function runningView(source: WallSource): WallView {
  const { streams, statuses, maySee } = source;
  const isOn = ({ id }: Shown) =>
    Object.hasOwn(statuses, id) && statuses[id].state !== "stopped" && statuses[id].state !== "planned";
  const ids = streams.filter((stream) => isOn(stream) && wallOfAddress(stream.url) === null && maySee(stream))
    .map(({ id }) => id);
  const wall = { id: RUNNING_WALL, name: "All running streams", showNames: true, revision: 0 };
  return wallView({ ...wall, ...runningWall(ids) }, source);
}

/** Whether a wall may show a stream in its channel's browser. @param wall null: the wall of all running streams. */
export function showsStream(
  layout: string,
  wall: Pick<Wall, "slots"> | null,
  stream: { id: string; url: string },
): boolean {
  if (isOfWall(layout, stream)) return false;
  if (wall) return wall.slots.some((slot) => slot.stream === stream.id);
  return layout === RUNNING_WALL && wallOfAddress(stream.url) === null;
}
