import { strict as assert } from "node:assert";
import { lifeSign } from "../../../components/board/card/lifeSign.ts";

Deno.test("a card says how long a stream is on the air, and until when its plan has it so", () => {
  const programs = [{ name: "encoder", state: "RUNNING" as const, pid: 7, uptime: 720 }];
  const status = { id: "a", state: "running" as const, programs };
  const changesAt = Date.UTC(2026, 0, 5, 12);
  assert.equal(lifeSign(status), "for 12 min");
  assert.match(lifeSign({ ...status, changesAt }), /^for 12 min, until (\w{3} )?\d\d:\d0$/);
  assert.match(lifeSign({ ...status, programs: [], changesAt }), /^until (\w{3} )?\d\d:\d0$/);
});
