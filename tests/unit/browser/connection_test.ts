import assert from "node:assert/strict";
import { Connection, type Wire } from "../../../lib/browser/connection.ts";

Deno.test("an error of a browser's is cut, since it gets into logs and events", async () => {
  for (const [message, expected] of [["no".repeat(500_000), "no".repeat(150)], ["no", "no"], [5, "5"]]) {
    const wire: Wire = {
      onmessage: () => {},
      ended: new Promise(() => {}),
      send: ({ id }) => queueMicrotask(() => wire.onmessage({ id, error: { message: message as string } })),
      close: () => {},
    };
    const connection = new Connection(wire);
    await assert.rejects(connection.send("Page.enable"), { message: expected });
  }
});
