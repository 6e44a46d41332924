/** A way to a pretended browser's hub. */
import type { Wire } from "../../lib/browser/connection.ts";

type Values = Record<string, unknown>;

/** @param answerTo a command's result; null where the browser does not answer. It may tell of events, and end the wire. */
export function pretendedWire(
  answerTo: (method: string, params: Values, tell: (method: string, params: Values) => void) => Values | null,
): Wire {
  const ended = Promise.withResolvers<void>();
  const wire: Wire = {
    onmessage: () => {},
    ended: ended.promise,
    send: ({ id, method, params, sessionId }) => {
      const events: { method: string; params: Values }[] = [];
      const result = answerTo(method, params ?? {}, (method, params) => events.push({ method, params }));
      if (result) queueMicrotask(() => wire.onmessage({ id, sessionId, result }));
      for (const event of events) queueMicrotask(() => wire.onmessage({ ...event, sessionId: "1" }));
    },
    close: ended.resolve,
  };
  return wire;
}
