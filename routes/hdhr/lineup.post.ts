import { define } from "../../lib/app.ts";

export const handler = define.handlers({
  /** A client wants a scan for channels: there is nothing to scan, and the list is always there. */
  POST: () => new Response(null),
});
