/** A page of playwright's, as the service reaches pages of its streams: by DevTools. */
import type { Page } from "playwright-core";
import { DevTools } from "../../lib/browser/client.ts";
import { Connection, type Wire } from "../../lib/browser/connection.ts";

const SESSION = "1";

/** The events that are passed on; playwright tells of none that is not named. */
const EVENTS = ["Fetch.requestPaused", "Page.frameNavigated", "Runtime.bindingCalled"] as const;

export async function devtoolsOf(page: Page): Promise<DevTools> {
  const client = await page.context().newCDPSession(page);
  const ended = Promise.withResolvers<void>();
  const wire: Wire = {
    onmessage: () => {},
    ended: ended.promise,
    send: ({ id, method, params }) => {
      const answer = (message: Record<string, unknown>) => wire.onmessage({ id, ...message });
      if (method === "Target.attachToTarget") {
        return queueMicrotask(() => answer({ result: { sessionId: SESSION } }));
      }
      client.send(method as never, params as never).then(
        (result) => answer({ sessionId: SESSION, result }),
        (error) => answer({ sessionId: SESSION, error: { message: String(error) } }),
      );
    },
    close: () => {
      ended.resolve();
      client.detach().catch(() => {});
    },
  };
  for (const method of EVENTS) {
    client.on(method, (params: unknown) => {
      wire.onmessage({ sessionId: SESSION, method, params: params as Record<string, unknown> });
    });
  }
  return await DevTools.open(new Connection(wire), { id: "" });
}
