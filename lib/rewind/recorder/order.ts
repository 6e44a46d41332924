/** What the web app wants kept of the displays, as the recorder is told it. Pure. */
import { REASONS } from "../../model/past.ts";
import * as z from "zod";
import { isStreamId, type StreamId } from "../../model/id.ts";

const order = z.object({
  id: z.string().refine((id): id is StreamId => isStreamId(id)),
  /** Why nothing is kept just now; null: it is kept. */
  hold: z.enum(REASONS).nullable(),
});

/** What is wanted of a display. */
export type Order = z.infer<typeof order>;

/** Of all displays of which anything is wanted, by their numbers. */
const orders = z.record(z.string().regex(/^\d{1,5}$/), order);

export type Orders = z.infer<typeof orders>;

/** Bytes of a line at most: of 500 displays. */
export const MAX_ORDERS = 64 * 1024;

/** A line. */
export function ordersLine(orders: Orders): string {
  return `${JSON.stringify(orders)}\n`;
}

/** The orders of a line without its line feed; null: it has none. */
export function parseOrders(line: string): Orders | null {
  try {
    return orders.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
