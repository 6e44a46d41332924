import { define } from "../../../lib/app.ts";
import { attachment } from "../../../lib/door/headers.ts";
import { exportedList, exportName } from "../../../lib/model/backup.ts";

export const handler = define.handlers({
  GET: (ctx) => {
    const { streams, walls } = ctx.state.service;
    return new Response(exportedList(streams.list("admin"), walls.list()), {
      headers: attachment(exportName(new Date()), "application/json; charset=utf-8"),
    });
  },
});
