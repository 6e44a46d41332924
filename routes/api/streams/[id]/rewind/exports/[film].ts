import { define } from "../../../../../../lib/app.ts";

/** The address of a film ends as its file does. */
const idOf = (film: string) => film.replace(/\.mp4$/, "");

export const handler = define.handlers({
  /** A film, as a download. */
  GET: async ({ params, state: { service, admitted } }) => {
    const stream = service.streams.get(params.id, "operator");
    service.rewind.of(stream, admitted.role);
    const { path, bytes, name } = service.exports.file(stream.id, idOf(params.film));
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
  DELETE: async ({ params, state: { service, admitted } }) => {
    const stream = service.streams.get(params.id, "operator");
    service.rewind.of(stream, admitted.role);
    await service.exports.remove(stream.id, idOf(params.film));
    return new Response(null, { status: 204 });
  },
});
