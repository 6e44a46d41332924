import { NoSuchStream } from "../../../components/ui/NoSuchStream.tsx";
import { define } from "../../../lib/app.ts";
import { playerHtml } from "../../../lib/players/page.ts";

/** The minimal player, without Back and Mute buttons. */
export const handler = define.handlers({
  GET: (ctx) => {
    const { streams, templates } = ctx.state.service;
    const stream = streams.find(ctx.params.id);
    if (!stream) return ctx.render(<NoSuchStream id={ctx.params.id} />, { status: 404 });
    return ctx.html(playerHtml(templates.player, stream), { headers: { "cache-control": "no-cache" } });
  },
});
