/** The order of the cards. Pure. */
import { badInput, ServiceError } from "../errors.ts";
import { withRevision } from "./change.ts";
import type { Stream } from "./schema.ts";

/** The problem of a new order; null: it is valid. */
function orderProblem(ids: readonly string[], current: readonly string[]): string | null {
  const [given, known] = [new Set(ids), new Set(current)];
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) return `there is no stream "${unknown.slice(0, 63)}"`;
  if (given.size < ids.length) {
    return `"${ids.find((id, at) => ids.indexOf(id) !== at)}" occurs twice`;
  }
  const missing = current.find((id) => !given.has(id));
  return missing === undefined ? null : `"${missing}" is missing`;
}

/**
 * The streams in the order of the body, `{"ids": […]}`, which names each exactly once; with `"renumber": true` their channels
 * are numbered by it, from 1. The same list if nothing changes.
 * @throws {ServiceError} 400 when the body has no list of texts; 409 with the current order, `ids`, when the list is
 * not of these streams.
 */
export function reordered(streams: readonly Stream[], body: unknown): readonly Stream[] {
  const { ids, renumber = false }: { ids?: unknown; renumber?: unknown } = Object(body);
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === "string")) {
    throw badInput({ ids: 'The new order is a list of all ids, such as {"ids": ["news", "grafana"]}.' });
  }
  if (typeof renumber !== "boolean") {
    throw badInput({ renumber: "renumber is true, to number the channels by this order, or false." });
  }
  const current = streams.map(({ id }) => id);
  const problem = orderProblem(ids, current);
  if (problem) {
    throw new ServiceError(409, `This is not an order of all streams: ${problem}.`, undefined, {
      extra: { ids: current },
    });
  }
  const byId = new Map<string, Stream>(streams.map((stream) => [stream.id, stream]));
  const next = ids.map((id, order) => {
    const stream = byId.get(id)!;
    const channelNumber = renumber ? order + 1 : stream.channelNumber;
    return withRevision(stream, { ...stream, order, channelNumber });
  });
  return next.every((stream, at) => stream === streams[at]) ? streams : next;
}
