import { define } from "../../../../lib/app.ts";
import { ServiceError } from "../../../../lib/errors.ts";

export const handler = define.handlers({
  /** The token of the stream's display, for our own pages. */
  GET: (ctx) => {
    const { service, admitted } = ctx.state;
    if (!admitted.mayReadSecrets) throw new ServiceError(403, "The token is for our own pages only.");
    const { id } = service.streams.get(ctx.params.id, "viewer");
    const token = service.tokens.shown(id);
    if (!token) {
      throw new ServiceError(503, "The stream has no VNC token yet; it is being set up. Try again.");
    }
    return ctx.json({ token }, { headers: { "cache-control": "no-store" } });
  },
});
