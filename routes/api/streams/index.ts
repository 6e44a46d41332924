import { define } from "../../../lib/app.ts";
import { badInput } from "../../../lib/errors.ts";
import { jsonBody } from "../../../lib/door/body.ts";
import { apiError, type ErrorBody } from "../../../lib/door/errors.ts";
import { forcing } from "../../../lib/door/forcing.ts";
import { isStreamId, type StreamId } from "../../../lib/model/id.ts";

/** Streams that one request deletes at most: an address of 8 kB has room for their ids. */
const MOST = 100;

/** The ids that `?ids=` names. @throws {ServiceError} 400. */
function chosenIds(query: URLSearchParams): StreamId[] {
  const ids = (query.get("ids") ?? "").split(",");
  if (ids.length > MOST || !ids.every(isStreamId)) {
    throw badInput({
      ids: `ids names 1 to ${MOST} streams by their ids, with commas. Example: ?ids=lobby,sales`,
    });
  }
  return ids as StreamId[];
}

export const handler = define.handlers({
  GET: (ctx) => {
    const { service: { streams }, admitted: { role } } = ctx.state;
    return ctx.json(streams.list(role), { headers: { "streams-version": streams.version() } });
  },

  POST: async (ctx) => {
    const stream = await ctx.state.service.streams.create(await jsonBody(ctx.req), forcing(ctx.url));
    return ctx.json(stream, { status: 201, headers: { location: `/api/streams/${stream.id}` } });
  },

  /** Deletes the streams that `?ids=` names; one that is not there counts as deleted. */
  DELETE: async (ctx) => {
    const deleted: StreamId[] = [];
    const failed: { id: StreamId; error: ErrorBody["error"] }[] = [];
    const problems: { id: StreamId; error: unknown }[] = [];
    await ctx.state.service.streams.removeMany(chosenIds(ctx.url.searchParams), (id, error) => {
      if (error === null) deleted.push(id);
      else problems.push({ id, error });
    });
    for (const { id, error } of problems) {
      const { error: said }: ErrorBody = await apiError(error, ctx.req).json();
      failed.push({ id, error: said });
    }
    return ctx.json({ deleted, failed });
  },
});
