import { define } from "../../lib/app.ts";
import { channelsOf } from "../../lib/channel/playlist/channels.ts";
import { lineup } from "../../lib/channel/tuner/device.ts";

export const handler = define.handlers({
  /** The channels that the tuner has, numbered as in the playlist. */
  GET: ({ json, state: { service, admitted } }) =>
    json(lineup(channelsOf(service.streams.list("viewer")).filter(admitted.maySee), admitted.addressBase)),
});
