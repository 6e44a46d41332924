import { define } from "../../../../lib/app.ts";
import { chosenRate } from "../../../../lib/channel/pictures/pictures.ts";

/** What the stream shows as JPEGs that go on, for programs that show no video. */
const answer = define.middleware(({ req, params, url, state }) => {
  const { service, admitted: { client, holds, connection } } = state;
  const { id } = service.streams.get(params.id, "viewer");
  const watcher = { client, agent: req.headers.get("user-agent"), holds, connection };
  return service.pictures.answer(req, id, watcher, chosenRate(url.searchParams));
});

export const handler = define.handlers({ GET: answer, HEAD: answer });
