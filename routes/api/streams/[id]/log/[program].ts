import { define } from "../../../../../lib/app.ts";
import { ServiceError } from "../../../../../lib/errors.ts";
import { attachment } from "../../../../../lib/door/headers.ts";
import { logOffset, logProgram } from "../../../../../lib/store/logs.ts";

export const handler = define.handlers({
  /** The log's end; with `after`, the text since then; with `download`, the whole log as a file. */
  GET: async (ctx) => {
    const { id } = ctx.params;
    const logs = ctx.state.service.logs(id);
    const program = logProgram(ctx.params.program);
    if (!ctx.url.searchParams.has("download")) {
      const part = await logs.read(program, logOffset(ctx.url.searchParams.get("after")));
      return ctx.json(part, { headers: { "cache-control": "no-store" } });
    }
    const bytes = await logs.download(program);
    if (!bytes) throw new ServiceError(404, `"${program}" of "${id}" has not run yet, so there is no log.`);
    return new Response(bytes, {
      headers: attachment(`${id}-${program}.log`, "text/plain; charset=utf-8"),
    });
  },
});
