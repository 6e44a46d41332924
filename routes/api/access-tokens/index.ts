import { define } from "../../../lib/app.ts";
import { jsonBody } from "../../../lib/door/body.ts";
import { GUIDE_PATH, PLAYLIST_PATH } from "../../../lib/channel/playlist/m3u.ts";
import { TUNER_PATH } from "../../../lib/channel/tuner/device.ts";

const SECRET = { "cache-control": "no-store" };

export const handler = define.handlers({
  /** The list of the tokens, without the tokens themselves, which the service does not keep. */
  GET: (ctx) => ctx.json(ctx.state.service.accessTokens.list(), { headers: SECRET }),

  /** A new token with the addresses for an app: only this answer has them. */
  POST: async (ctx) => {
    const { service: { accessTokens, streams }, admitted } = ctx.state;
    const ids = streams.list("viewer").map(({ id }) => id);
    const { info, token } = await accessTokens.create(await jsonBody(ctx.req), ids);
    const base = `${admitted.addressBase}/t/${token}`;
    const addresses = { playlist: base + PLAYLIST_PATH, guide: base + GUIDE_PATH, tuner: base + TUNER_PATH };
    const headers = { ...SECRET, location: `/api/access-tokens/${info.id}` };
    return ctx.json({ ...info, token, ...addresses }, { status: 201, headers });
  },
});
