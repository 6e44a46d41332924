import { define } from "../../../lib/app.ts";
import { channelOf } from "../../../lib/channel/media/hls.ts";
import { asksForPast, pastAddress } from "../../../lib/rewind/catchup.ts";

const answer = define.middleware((ctx) => {
  const { req, url: { pathname, searchParams }, state: { service, admitted } } = ctx;
  const path = pathname.slice("/api/hls".length);
  const id = req.method !== "OPTIONS" && asksForPast(searchParams) ? channelOf(path) : null;
  if (id === null) return service.hls.answer(req, path, admitted.client);
  const stream = service.streams.get(id, "operator");
  // refused here as there, so that the refusal has the address that was asked for
  service.rewind.of(stream, admitted.role);
  const location = admitted.addressBase + pastAddress(stream.id, searchParams);
  return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
});

export const handler = define.handlers({ GET: answer, HEAD: answer, OPTIONS: answer });
