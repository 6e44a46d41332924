import { define } from "../../../lib/app.ts";

/** A channel as an endless MPEG transport stream, for IPTV apps and tuners. */
const answer = define.middleware(({ req, params, state }) => {
  const { service, admitted: { client, holds, connection } } = state;
  const { id } = service.streams.get(params.id, "viewer");
  return service.relays.answer(req, id, { client, agent: req.headers.get("user-agent"), holds, connection });
});

export const handler = define.handlers({ GET: answer, HEAD: answer });
