import { define } from "../lib/app.ts";
import { textFile } from "../lib/door/text_file.ts";
import { hoursOfPast } from "../lib/channel/playlist/catchup.ts";
import { channelsOf, chosenChannels, chosenFormat } from "../lib/channel/playlist/channels.ts";
import { M3U_TYPE, playlist } from "../lib/channel/playlist/m3u.ts";

export const handler = define.handlers({
  /** The channels for IPTV apps; `?group=` and `?running=1` choose among them, `?format=ts` their addresses. */
  GET: (ctx) => {
    const { service, admitted } = ctx.state;
    const { streams, statuses, config } = service;
    const all = channelsOf(streams.list("viewer"), statuses.pictureAt, hoursOfPast(config));
    const channels = all.filter(admitted.maySee);
    const chosen = chosenChannels(channels, ctx.url.searchParams);
    return textFile(playlist(chosen, admitted.addressBase, chosenFormat(ctx.url.searchParams)), M3U_TYPE, {
      "content-disposition": 'inline; filename="playlist.m3u"',
    });
  },
});
