import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { askUpstream } from "../../../lib/door/upstream.ts";
import { withTimeout } from "../../../lib/machine/tools/time.ts";
import { fakeUpstream } from "../../support/upstream.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

Deno.test("an exchange that is cancelled ends at once, also after a garbage collection", async () => {
  const gone: Promise<void>[] = [];
  await using upstream = fakeUpstream(async (exchange) => {
    gone.push(exchange.gone);
    await exchange.send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf");
  });
  const answer = await askUpstream(upstream.origin, {}, { answerMs: 60_000, idleMs: 60_000 });
  assert.equal((await answer.read())?.length, 4);
  const more = assert.rejects(answer.read());
  collectGarbage();
  answer.cancel();
  await withTimeout(5000, Promise.all([more, ...gone]));
});
