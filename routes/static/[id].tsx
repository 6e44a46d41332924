import { asset } from "fresh/runtime";
import { define } from "../../lib/app.ts";
import { contentPolicy } from "../../lib/door/headers.ts";
import { isAtLeast } from "../../lib/role.ts";
import { logoOrigins, mediaOrigin, playerHtml } from "../../lib/channel/players/page.ts";
import { channelsOf } from "../../lib/channel/playlist/channels.ts";

/** The player for televisions: with buttons and all channels, and straight from the media server where it can. */
export const handler = define.handlers({
  GET: (ctx) => {
    const { config, login, streams, templates } = ctx.state.service;
    const stream = streams.get(ctx.params.id, "viewer");
    // with a login the media server, which has none, listens on loopback alone; and it reports no viewers (onDemand)
    const direct = login.isOn || stream.onDemand ? null : mediaOrigin(ctx.url.hostname, config.MEDIA_PORT);
    const html = playerHtml(templates.tv, stream, asset, {
      mode: config.DEFAULT_PLAYER,
      mediaPort: direct === null ? "" : config.MEDIA_PORT,
      mayStart: isAtLeast(ctx.state.admitted.role, "operator") ? "true" : "",
    });
    return ctx.html(html, {
      headers: {
        "cache-control": "no-cache",
        "content-security-policy": contentPolicy({
          media: direct ?? undefined,
          pictures: logoOrigins(channelsOf(streams.list("viewer")).filter(ctx.state.admitted.maySee)),
        }),
      },
    });
  },
});
