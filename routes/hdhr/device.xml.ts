import { define } from "../../lib/app.ts";
import { textFile } from "../../lib/door/text_file.ts";
import { deviceXml } from "../../lib/channel/tuner/device.ts";

export const handler = define.handlers({
  /** The tuner's description for UPnP clients. */
  GET: async ({ state: { service, admitted } }) =>
    textFile(
      deviceXml(await service.tuner.device(), admitted.addressBase),
      "application/xml; charset=utf-8",
    ),
});
