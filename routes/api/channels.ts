import { define } from "../../lib/app.ts";
import { channelsOf } from "../../lib/playlist/channels.ts";

export const handler = define.handlers({
  /** The channels, numbered as in the playlist, with their states: what the TV player's list shows. */
  GET: async (ctx) => {
    const { service, admitted } = ctx.state;
    const statuses = await service.statuses.all();
    const channels = channelsOf(service.streams.list()).filter(admitted.maySee)
      // a stream that was made after the states were asked for
      .map(({ number, id, name }) => ({ number, id, name, state: statuses[id]?.state ?? "stopped" }));
    return ctx.json(channels, { headers: { "cache-control": "no-store" } });
  },
});
