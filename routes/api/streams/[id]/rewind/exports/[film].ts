import { define } from "../../../../../../lib/app.ts";
import type { Admitted } from "../../../../../../lib/door/gate.ts";
import type { StreamId } from "../../../../../../lib/model/id.ts";
import type { Service } from "../../../../../../lib/service.ts";

/** The address of a film ends as its file does. */
const idOf = (film: string) => film.replace(/\.mp4$/, "");

/** The answer of the node that has made a film before the stream came here; null: no other node has it. */
async function elsewhere(
  { exports, placement }: Service,
  request: Request,
  [stream, film]: [StreamId, string],
  admitted: Admitted,
): Promise<Response | null> {
  if (exports.has(stream, film)) return null;
  const answers = await placement.elsewhere?.kept(request, stream, admitted) ?? [];
  const found = answers.find(({ ok }) => ok) ?? null;
  for (const answer of answers) if (answer !== found) await answer.body?.cancel();
  return found;
}

export const handler = define.handlers({
  /** A film, as a download. */
  GET: async ({ req, params, state: { service, admitted } }) => {
    const stream = service.streams.get(params.id, "operator");
    service.rewind.of(stream, admitted.role);
    const film = idOf(params.film);
    const other = await elsewhere(service, req, [stream.id, film], admitted);
    if (other) return other;
    const { path, bytes, name } = service.exports.file(stream.id, film);
    const { readable } = await Deno.open(path);
    return new Response(readable, {
      headers: {
        "content-type": "video/mp4",
        "content-length": String(bytes),
        "content-disposition": `attachment; filename="${name}"`,
        "cache-control": "private, no-cache",
      },
    });
  },
  DELETE: async ({ req, params, state: { service, admitted } }) => {
    const stream = service.streams.get(params.id, "operator");
    service.rewind.of(stream, admitted.role);
    const film = idOf(params.film);
    const other = await elsewhere(service, req, [stream.id, film], admitted);
    if (other) return other;
    await service.exports.remove(stream.id, film);
    return new Response(null, { status: 204 });
  },
});
