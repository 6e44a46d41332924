import { strict as assert } from "node:assert";
import { serverNow } from "../../../components/client/serverClock.ts";
import { lifeSign } from "../../../components/board/card/lifeSign.ts";

Deno.test("a card says how long a stream is well or is not, and until when its plan has it so", () => {
  const since = serverNow() - 720_500;
  const status = { id: "a", state: "running" as const, since, programs: [] };
  const changesAt = Date.UTC(2026, 0, 5, 12);
  assert.equal(lifeSign(status), "for 12 min");
  assert.equal(lifeSign({ ...status, state: "degraded" }), "for 12 min");
  assert.equal(lifeSign({ ...status, state: "failed" }), "off air for 12 min");
  assert.equal(lifeSign({ ...status, state: "failed", since: undefined }), "off air");
  assert.match(lifeSign({ ...status, changesAt }), /^for 12 min, until (\w{3} )?\d\d:\d0$/);
  assert.match(lifeSign({ ...status, since: undefined, changesAt }), /^until (\w{3} )?\d\d:\d0$/);
});
