import { strict as assert } from "node:assert";
import { Viewers } from "../../../lib/media/viewers.ts";
import { streamId } from "../../../lib/model/id.ts";

const [CLOCK, SALES] = [streamId("clock"), streamId("sales")];

Deno.test("who asked for the playlist within 10 s watches, each client once", () => {
  let now = 0;
  const viewers = new Viewers(() => now);
  const ask = (client: string, agent: string | null = "VLC") => viewers.note(CLOCK, client, agent);
  ask("10.0.0.1");
  ask("10.0.0.1");
  ask("10.0.0.1", null);
  ask("10.0.0.2");
  assert.deepEqual([viewers.count(CLOCK), viewers.count(SALES)], [3, 0]);
  now = 6000;
  ask("10.0.0.2");
  now = 10_000;
  assert.equal(viewers.count(CLOCK), 1, "the others are gone");
  now = 16_000;
  assert.equal(viewers.count(CLOCK), 0);
});

Deno.test("a client with many names takes no more than so much memory", () => {
  const viewers = new Viewers(() => 0);
  for (let at = 0; at < 5000; at++) viewers.note(CLOCK, "10.0.0.1", `agent ${at}`);
  assert.equal(viewers.count(CLOCK), 1000);
});
