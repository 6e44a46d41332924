import { createHash } from "node:crypto";
import { define } from "../lib/app.ts";
import { namesTag } from "../lib/door/conditional.ts";
import { textFileInParts } from "../lib/door/text_file.ts";
import { catchupSince, hoursOfPast } from "../lib/channel/playlist/catchup.ts";
import { channelsOf } from "../lib/channel/playlist/channels.ts";
import { guideHour, guideParts, guideSize, pastHour, XMLTV_TYPE } from "../lib/channel/playlist/xmltv.ts";
import type { StreamId } from "../lib/model/id.ts";
import { inTurns } from "../lib/machine/tools/turns.ts";

export const handler = define.handlers({
  /** The guide of the channels. Apps ask for it often, and it changes with the hour and the list alone. */
  GET: async (ctx) => {
    const { service, admitted: { addressBase: base, maySee } } = ctx.state;
    const { streams, statuses, machine, config, rewind, placement } = service;
    const now = machine.now();
    // a guide's logos change with the hour alone, else each answer would be another guide
    const hasPicture = (id: StreamId) => statuses.pictureAt(id) !== undefined;
    const picturesAt = (id: StreamId) => hasPicture(id) ? guideHour(now) : undefined;
    const pasts = new Map<string, number>();
    const kept = {
      isKnown: (id: StreamId) => placement.isMine(id) || placement.past.stays(id).length > 0,
      since: (id: StreamId) => rewind.since(id),
    };
    const visible = streams.list("viewer").filter(maySee);
    for (const [id, since] of await catchupSince(visible, hoursOfPast(config), now, kept)) {
      pasts.set(id, pastHour(since, now));
    }
    const known = streams.list("viewer").map(({ id }) => picturesAt(id) ?? 0);
    // the base has the access token, which decides the channels
    const version = JSON.stringify([streams.version(), guideHour(now), known, [...pasts], base]);
    const etag = `"${createHash("sha256").update(version).digest("base64url")}"`;
    if (namesTag(ctx.req.headers.get("if-none-match"), etag)) {
      return new Response(null, { status: 304, headers: { etag, "cache-control": "no-cache" } });
    }
    const guide = [channelsOf(streams.list("viewer"), picturesAt).filter(maySee), base, now, pasts] as const;
    const size = await inTurns(guideSize(...guide));
    return textFileInParts(guideParts(...guide), size, XMLTV_TYPE, { etag });
  },
});
