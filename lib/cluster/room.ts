/** What people hear of the nodes' room: each node decides by its own measurements which streams it takes. Pure. */

/** How much of a node is free. */
export interface NodeRoom {
  name: string;
  /** The share of the machine that is free for streams: 0 to 1. */
  room: number;
}

/** The share of a machine that is free where one more stream may fit. */
const LEAST_ROOM = 0.02;
/** Milliseconds after which people hear that no node runs a stream: where no node has room, and where one has. */
const [NO_ROOM_MS, LONG_MS] = [30_000, 300_000];

/** Why no node has room for one more stream; null: a node has room. @param nodes those that take streams. */
export function noRoomText(nodes: readonly NodeRoom[]): string | null {
  if (nodes.length === 0 || nodes.some(({ room }) => room >= LEAST_ROOM)) return null;
  return `no node of the cluster has room for the stream (${freeText(nodes)})`;
}

/** Why no node runs a stream that is to run; null: a node will soon. @param freeMs for so long no node has run the stream. */
export function missingText(nodes: readonly NodeRoom[], freeMs: number): string | null {
  const why = noRoomText(nodes);
  if (why !== null && freeMs > NO_ROOM_MS) return `N${why.slice(1)}.`;
  return freeMs > LONG_MS ? `No node of the cluster has taken the stream (${freeText(nodes)}).` : null;
}

function freeText(nodes: readonly NodeRoom[]): string {
  return `free: ${nodes.map(({ name, room }) => `${name} ${Math.round(room * 100)} %`).join(", ")}`;
}
