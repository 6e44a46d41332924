import { define } from "../../lib/app.ts";
import { LINEUP_STATUS } from "../../lib/channel/tuner/device.ts";

export const handler = define.handlers({
  GET: ({ json }) => json(LINEUP_STATUS),
});
