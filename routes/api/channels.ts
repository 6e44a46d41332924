import { define } from "../../lib/app.ts";
import { channelsOf } from "../../lib/channel/playlist/channels.ts";

export const handler = define.handlers({
  /** The channels of the TV player's list by their numbers, which are the playlist's, with their states. */
  GET: async (ctx) => {
    const { service, admitted } = ctx.state;
    const statuses = await service.statuses.all();
    const channels = channelsOf(service.streams.list("viewer")).filter(admitted.maySee)
      .sort((one, other) => one.number - other.number)
      .map(({ number, id, name, logo, isOnDemand }) => ({
        number,
        id,
        name,
        ...(logo ? { logo } : {}),
        // a stream that was made after the states were read
        state: statuses[id]?.state ?? "stopped",
        ...(isOnDemand ? { onDemand: true } : {}),
      }));
    return ctx.json(channels, { headers: { "cache-control": "no-store" } });
  },
});
