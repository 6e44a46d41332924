import { define } from "../../../lib/app.ts";
import { playerHtml } from "../../../lib/media/player.ts";

/** The minimal player, without Back and Mute buttons. */
export const handler = define.handlers({
  GET: (ctx) => {
    const { streams, templates } = ctx.state.service;
    return ctx.html(playerHtml(templates.player, streams.get(ctx.params.id)));
  },
});
