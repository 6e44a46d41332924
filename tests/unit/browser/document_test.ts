import assert from "node:assert/strict";
import type { DevTools } from "../../../lib/browser/client.ts";
import { isolatedWorld } from "../../../lib/browser/document.ts";

const DOCUMENT = { frameId: "F", loaderId: "L", origin: "https://a", unreachable: null };

/** The world's id, in a page that tells of these contexts, and then that the new one has that number. */
function worldOf(contexts: unknown[], executionContextId: number): Promise<string> {
  let tell: (method: string, params: Record<string, unknown>) => void;
  const page = {
    listen: (listener: typeof tell) => {
      tell = listener;
      return () => {};
    },
    send: (method: string) => {
      for (const context of method === "Runtime.enable" ? contexts : []) {
        tell("Runtime.executionContextCreated", { context });
      }
      return Promise.resolve({ executionContextId });
    },
  } as unknown as DevTools;
  return isolatedWorld(page, DOCUMENT);
}

const own = (id: unknown, uniqueId: unknown = `u${id}`) => ({ id, uniqueId, name: "browser-stream" });

Deno.test("the world's id is that of the context with its name and number", async () => {
  const others = [{ id: 1, uniqueId: "page", name: "" }, { id: 2, uniqueId: "u", name: "other" }];
  assert.equal(await worldOf([...others, own(3), own(4)], 3), "u3");
  const many = Array.from({ length: 10_000 }, (_, id) => ({ id, uniqueId: `p${id}`, name: "" }));
  assert.equal(await worldOf([...many, own(20_000)], 20_000), "u20000");
});

Deno.test("of contexts that a browser makes up few are remembered, and no long ids", async () => {
  const many = Array.from({ length: 10_000 }, (_, id) => own(id));
  await assert.rejects(worldOf(many, 9999), /moved on/);
  for (const context of [own(1, "x".repeat(1000)), own(1, 5), own("1"), null, 5]) {
    await assert.rejects(worldOf([context], 1), /moved on/, JSON.stringify(context)?.slice(0, 50));
  }
  await assert.rejects(worldOf([own(1)], 2), /moved on/);
});
