import { define } from "../../lib/app.ts";
import { shownIncidents } from "../../lib/model/shown_stream.ts";

export const handler = define.handlers({
  /** The newest first; `stream`, `group`, `kind` and `open` choose among them. */
  GET: (ctx) => {
    const { service: { messages }, admitted: { role } } = ctx.state;
    const asked = (name: string) => ctx.url.searchParams.get(name) ?? "";
    const chosen = { stream: asked("stream"), group: asked("group"), kind: asked("kind") };
    const found = messages.incidents({ ...chosen, isOpen: asked("open") === "1" });
    const open = messages.incidents({ isOpen: true }).length;
    return ctx.json({ open, incidents: shownIncidents(found, role) }, {
      headers: { "cache-control": "no-store" },
    });
  },
});
