import { define } from "../../lib/app.ts";
import { discovery } from "../../lib/channel/tuner/device.ts";

export const handler = define.handlers({
  /** The tuner, for clients that were given its address. */
  GET: async ({ json, state: { service, admitted } }) =>
    json(discovery(await service.tuner.device(), admitted.addressBase)),
});
