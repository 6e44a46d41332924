import { define } from "../../../../lib/app.ts";
import { ServiceError } from "../../../../lib/errors.ts";
import { errorResponse } from "../../../../lib/http/errors.ts";
import { mayReadSecrets } from "../../../../lib/http/origin.ts";
import { publicUrl } from "../../../../lib/net/public_url.ts";

export const handler = define.handlers({
  /** The token of the stream's display, for our own pages. */
  GET: (ctx) => {
    const publicHost = () => publicUrl(ctx.req, ctx.info, ctx.state.service.config).host;
    if (!mayReadSecrets(ctx.req, publicHost)) {
      return errorResponse(403, "The token is for our own pages only.");
    }
    const { service } = ctx.state;
    const { id } = service.streams.get(ctx.params.id);
    const token = service.vnc.tokenOf(id);
    if (!token) {
      throw new ServiceError(503, "The stream has no VNC token yet; it is being set up. Try again.");
    }
    return ctx.json({ token }, { headers: { "cache-control": "no-store" } });
  },
});
