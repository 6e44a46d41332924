import { define } from "../../../lib/app.ts";
import { attachment } from "../../../lib/http/headers.ts";
import { exportedList, exportName } from "../../../lib/model/backup.ts";

export const handler = define.handlers({
  GET: (ctx) =>
    new Response(exportedList(ctx.state.service.streams.list()), {
      headers: attachment(exportName(new Date()), "application/json; charset=utf-8"),
    }),
});
