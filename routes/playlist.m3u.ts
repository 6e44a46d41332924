import { define } from "../lib/app.ts";
import { publicUrl } from "../lib/net/public_url.ts";
import { textFile } from "../lib/http/text_file.ts";
import { channelsOf, chosenChannels } from "../lib/playlist/channels.ts";
import { M3U_TYPE, playlist } from "../lib/playlist/m3u.ts";

export const handler = define.handlers({
  /** The channels for IPTV apps; `?group=` and `?running=1` choose among them. */
  GET: (ctx) => {
    const { config, streams } = ctx.state.service;
    const channels = chosenChannels(channelsOf(streams.list()), ctx.url.searchParams);
    return textFile(playlist(channels, publicUrl(ctx.req, ctx.info, config).origin), M3U_TYPE, {
      "content-disposition": 'inline; filename="playlist.m3u"',
    });
  },
});
