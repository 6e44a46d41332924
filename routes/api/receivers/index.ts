import { define } from "../../../lib/app.ts";
import { jsonBody } from "../../../lib/door/body.ts";
import { shownReceiver } from "../../../lib/messages/receiver.ts";
import type { StoredReceiver } from "../../../lib/model/receivers.ts";
import type { Service } from "../../../lib/service.ts";

const NO_STORE = { "cache-control": "no-store" };

/** A receiver without its secrets, and how its messages go. */
export function receiverAnswer({ messages }: Pick<Service, "messages">, stored: StoredReceiver) {
  return { ...shownReceiver(stored), ...messages.delivery(stored.id) };
}

export const handler = define.handlers({
  GET: (ctx) => {
    const { service } = ctx.state;
    return ctx.json(service.receivers.list().map((one) => receiverAnswer(service, one)), {
      headers: NO_STORE,
    });
  },

  POST: async (ctx) => {
    const { service } = ctx.state;
    const stored = await service.receivers.create(await jsonBody(ctx.req));
    const headers = { ...NO_STORE, location: `/api/receivers/${stored.id}` };
    return ctx.json(receiverAnswer(service, stored), { status: 201, headers });
  },
});
