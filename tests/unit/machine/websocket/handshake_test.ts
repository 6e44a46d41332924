/** How a server's answer to a handshake reads, and what people are told of it. */
import assert from "node:assert/strict";
import { nodeGone } from "../../../../lib/takeover/bridge.ts";
import { askForWebSocket, RefusedError } from "../../../../lib/machine/websocket/handshake.ts";

/** A connection to a server that answers with a text, and ends then. */
function connectionTo(answer: string): Deno.Conn {
  const parts = [new TextEncoder().encode(answer)];
  return {
    write: (bytes: Uint8Array) => Promise.resolve(bytes.length),
    read: (into: Uint8Array) => {
      const part = parts.shift();
      if (!part) return Promise.resolve(null);
      into.set(part);
      return Promise.resolve(part.length);
    },
  } as unknown as Deno.Conn;
}

const ANSWERS: [string, string, RegExp][] = [
  ["refused", "HTTP/1.1 403 Forbidden\r\n\r\n", /answers, and refuses \(HTTP 403\); its log says why/],
  ["full", "HTTP/1.1 503 Service Unavailable\r\n\r\n", /answers, and refuses \(HTTP 503\)/],
  ["ended", "", /does not answer\. Try again in a moment/],
  ["no HTTP", "SSH-2.0-OpenSSH\r\n\r\n", /does not answer/],
  ["no WebSocket", "HTTP/1.1 101 Switching Protocols\r\n\r\n", /does not answer/],
];

for (const [name, answer, said] of ANSWERS) {
  Deno.test(`handshake of another node, ${name}: it is told as it is`, async () => {
    const target = { at: 1, path: "/", host: "wall-b" };
    const error = await askForWebSocket(connectionTo(answer), target).then(() => null, (error) => error);
    assert.ok(error instanceof Error);
    assert.equal(error instanceof RefusedError, /refuses/.test(said.source));
    const { code, reason } = nodeGone("wall-b", error);
    assert.equal(code, 1013);
    assert.match(reason, said);
  });
}
