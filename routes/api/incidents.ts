import { define } from "../../lib/app.ts";

export const handler = define.handlers({
  /** The newest first; `stream`, `group`, `kind` and `open` choose among them. */
  GET: (ctx) => {
    const { messages } = ctx.state.service;
    const asked = (name: string) => ctx.url.searchParams.get(name) ?? "";
    const chosen = { stream: asked("stream"), group: asked("group"), kind: asked("kind") };
    const incidents = messages.incidents({ ...chosen, isOpen: asked("open") === "1" });
    const open = messages.incidents({ isOpen: true }).length;
    return ctx.json({ open, incidents }, { headers: { "cache-control": "no-store" } });
  },
});
