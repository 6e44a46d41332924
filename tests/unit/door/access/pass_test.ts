import { strict as assert } from "node:assert";
import { type PassedOn, Passes } from "../../../../lib/door/access/pass.ts";

const SECRET = new Uint8Array(32).fill(7);
const FOUND: PassedOn = {
  client: "2001:db8::7",
  publicUrl: "https://tv.example.org/",
  addressBase: "https://tv.example.org/t/ü%/",
  isFromOwnPage: true,
  mayReadSecrets: false,
  role: "operator",
};

function setUp() {
  const clock = { now: Date.UTC(2026, 10, 27) };
  const node = (name: string, secret = SECRET) => new Passes(secret, name, () => clock.now);
  const [a, b] = [node("a"), node("b")];
  const make = (method = "POST", path = "/api/streams/clock/restart?x=1") => a.make("b", method, path, FOUND);
  const read = (header: string, method = "POST", path = "/api/streams/clock/restart?x=1") =>
    b.read(header, method, path);
  return { clock, node, a, b, make, read };
}

Deno.test("a pass tells the node that it is for what was found", () => {
  const { make, read } = setUp();
  assert.deepEqual(read(make()), FOUND);
});

Deno.test("a pass is good for its request, its node, and a minute", () => {
  const { clock, node, make, read } = setUp();
  assert.equal(read(make(), "DELETE"), null);
  assert.equal(read(make(), "POST", "/api/streams/other/restart?x=1"), null);
  assert.equal(read(make(), "POST", "/api/streams/clock/restart"), null);
  assert.equal(node("c").read(make(), "POST", "/api/streams/clock/restart?x=1"), null);
  const late = make();
  clock.now += 60_001;
  assert.equal(read(late), null);
  const early = make();
  clock.now -= 60_001;
  assert.equal(read(early), null, "of a node whose clock is far ahead");
});

Deno.test("what changes something counts once, what reads as often as it is asked", () => {
  const { make, read } = setUp();
  const change = make();
  assert.deepEqual([read(change), read(change)], [FOUND, null]);
  const look = make("GET");
  assert.deepEqual([read(look, "GET"), read(look, "GET")], [FOUND, FOUND]);
});

Deno.test("nobody makes a pass without the cluster's secret, or changes one", () => {
  const { node, make, read } = setUp();
  const forged = node("a", new Uint8Array(32).fill(8)).make(
    "b",
    "POST",
    "/api/streams/clock/restart?x=1",
    FOUND,
  );
  const good = make();
  const [text, mac] = [good.slice(0, good.lastIndexOf(".")), good.slice(good.lastIndexOf("."))];
  const changed = text.replace("false", "true") + mac;
  assert.notEqual(changed, good);
  for (
    const bad of [forged, changed, text, mac, "", ".", "a.b", `${good}x`, "ü".repeat(50), good.slice(0, -1)]
  ) {
    assert.equal(read(bad), null, bad);
  }
});
