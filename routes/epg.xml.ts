import { define } from "../lib/app.ts";
import { textFile } from "../lib/http/text_file.ts";
import { channelsOf } from "../lib/playlist/channels.ts";
import { guide, XMLTV_TYPE } from "../lib/playlist/xmltv.ts";

export const handler = define.handlers({
  /** The guide of the channels. */
  GET: (ctx) => {
    const { service: { streams, machine }, admitted } = ctx.state;
    const channels = channelsOf(streams.list()).filter(admitted.maySee);
    return textFile(guide(channels, admitted.addressBase, machine.now()), XMLTV_TYPE);
  },
});
