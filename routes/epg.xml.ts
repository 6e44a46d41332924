import { define } from "../lib/app.ts";
import { publicUrl } from "../lib/net/public_url.ts";
import { textFile } from "../lib/http/text_file.ts";
import { channelsOf } from "../lib/playlist/channels.ts";
import { guide, XMLTV_TYPE } from "../lib/playlist/xmltv.ts";

export const handler = define.handlers({
  /** The guide of all channels. */
  GET: (ctx) => {
    const { config, streams } = ctx.state.service;
    const { origin } = publicUrl(ctx.req, ctx.info, config);
    return textFile(guide(channelsOf(streams.list()), origin, Date.now()), XMLTV_TYPE);
  },
});
