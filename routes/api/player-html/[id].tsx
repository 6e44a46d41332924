import { asset } from "fresh/runtime";
import { define } from "../../../lib/app.ts";
import { playerHtml } from "../../../lib/channel/players/page.ts";

/** The minimal player, without Back and Mute buttons. */
export const handler = define.handlers({
  GET: (ctx) => {
    const { config, streams, templates } = ctx.state.service;
    const stream = streams.get(ctx.params.id, "viewer");
    return ctx.html(playerHtml(templates.player, stream, asset, { mode: config.DEFAULT_PLAYER }), {
      headers: { "cache-control": "no-cache" },
    });
  },
});
