/** The rules that the doors for answers that go on have in common. */
import { errorResponse } from "../door/errors.ts";
import type { StreamId } from "../model/id.ts";
import type { Channel, Channels } from "./channel.ts";

/** Viewers of all channels together, by one kind of answer. */
const MAX_VIEWERS = 1000;

/** The kinds of answers that go on. */
type Kind = "relay" | "pictures";

/** The channel for one more viewer, or the answer to a viewer who cannot watch it. */
export function openChannel(channels: Channels, kind: Kind, id: StreamId): Channel | Response {
  const channel = channels.find(id)?.channel;
  if (channel?.[kind].isOver) return errorResponse(503, "The service is being stopped.");
  if (!channel?.isOnAir) return errorResponse(404, "The channel is off.");
  const viewers = sumOf(channels, (one) => one[kind].size);
  return viewers < MAX_VIEWERS ? channel : errorResponse(503, "Too many viewers are here. Try again later.");
}

/** The sum of a number of each channel. */
export function sumOf(channels: Channels, value: (channel: Channel) => number): number {
  return channels.list().reduce((sum, { channel }) => sum + value(channel), 0);
}
