import { define } from "../../../../../../lib/app.ts";
import { jsonBody } from "../../../../../../lib/door/body.ts";
import { askedExport } from "../../../../../../lib/rewind/exports.ts";

export const handler = define.handlers({
  /** The films of the channel's past that somebody has had made. */
  GET: async (ctx) => {
    const { service, admitted } = ctx.state;
    const stream = service.streams.get(ctx.params.id, "operator");
    service.rewind.of(stream, admitted.role);
    const films = service.exports.list(stream.id, admitted.addressBase);
    const others = await service.placement.elsewhere?.kept(ctx.req, stream.id, admitted) ?? [];
    for (const answer of others) {
      const list = answer.ok ? await answer.json() : await answer.body?.cancel();
      films.push(...list ?? []);
    }
    films.sort((one, other) => other.madeAt - one.madeAt);
    return ctx.json(films, { headers: { "cache-control": "no-store" } });
  },
  /** Has one made. */
  POST: async (ctx) => {
    const { service, admitted } = ctx.state;
    const stream = service.streams.get(ctx.params.id, "operator");
    const past = service.rewind.of(stream, admitted.role, ctx.req.signal);
    const asked = askedExport(await jsonBody(ctx.req));
    return ctx.json(await service.exports.add(stream.id, past, asked, admitted.addressBase), { status: 202 });
  },
});
