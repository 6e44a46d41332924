/** A local HTTP receiver for webhooks: keeps what came, and answers as it is told. */
import { until } from "./same.ts";

export interface Received {
  method: string;
  path: string;
  headers: Headers;
  body: string;
}

export interface TestReceiver extends AsyncDisposable {
  /** Such as "http://127.0.0.1:41234". */
  url: string;
  received: Received[];
  /** What the next requests are answered with. */
  answer: (request: Received) => Response | Promise<Response>;
  /** Waits until so many requests came. */
  until(count: number): Promise<Received[]>;
}

export function testReceiver(): TestReceiver {
  const received: Received[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { method, headers } = request;
    const { pathname, search } = new URL(request.url);
    const one = { method, path: pathname + search, headers, body: await request.text() };
    received.push(one);
    return receiver.answer(one);
  });
  const receiver: TestReceiver = {
    url: `http://127.0.0.1:${server.addr.port}`,
    received,
    answer: () => new Response("ok"),
    until: (count) => until(`${count} messages`, () => received.length >= count ? received : null),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return receiver;
}
