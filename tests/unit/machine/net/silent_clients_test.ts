import { strict as assert } from "node:assert";
import { SilentClients } from "../../../../lib/machine/net/silent_clients.ts";
import type { ReceiveWindow } from "../../../../lib/machine/os/receive_windows.ts";

const PEER = { transport: "tcp" as const, hostname: "192.0.2.7", port: 5000 };
const WINDOW: ReceiveWindow = { address: "c0000207", port: 5000, acknowledged: 0, window: 2_000_000 };

const STALL = [...Array(5).fill([250_000, 250_000]), ...Array(3).fill([0, 0])];

/** A client each 2 s, as bytes that arrived and how many of them its program has taken; and how long it is silent then. */
const CLIENTS: [what: string, rounds: [arrived: number, taken: number][], silentMs: number][] = [
  ["reads all", Array(10).fill([32_000, 32_000]), 0],
  ["reads nothing", Array(10).fill([6000, 0]), 20_000],
  ["reads nothing, and its window is told in steps", Array(10).fill([8000, 2000]), 20_000],
  ["reads nothing of next to nothing", Array(10).fill([2000, 0]), 20_000],
  ["has nothing to read", Array(10).fill([0, 0]), 0],
  ["reads a little later than it arrives", [[20_000, 0], ...Array(9).fill([4000, 6000])], 0],
  ["reads again", [...Array(6).fill([6000, 0]), [6000, 42_000], ...Array(3).fill([6000, 6000])], 0],
  ["reads no more", [...Array(5).fill([9000, 9000]), ...Array(5).fill([9000, 0])], 10_000],
  ["has a window that grows before it is full", [
    ...Array(4).fill([9000, 20_000]),
    ...Array(6).fill([9000, 0]),
  ], 12_000],
  ["gets at once what a stall held back", [...STALL, [1_000_000, 250_000]], 2000],
  ["goes on at its rate after a stall", [...STALL, [1_000_000, 250_000], [250_000, 250_000]], 0],
  ["has not yet read what came after a long rest", [...Array(15).fill([0, 0]), [50_000, 0]], 2000],
  ["has not yet read what came after little by little", [...Array(15).fill([100, 100]), [50_000, 0]], 2000],
  ["has read it later, and nothing more has come", [[50_000, 0], [0, 50_000], ...Array(5).fill([0, 0])], 0],
  ["reads nothing, and then nothing comes", [...Array(3).fill([9000, 0]), ...Array(7).fill([0, 0])], 20_000],
  ["reads in bursts", [[9000, 0], [9000, 18_000], [9000, 0], [9000, 18_000], [9000, 0], [9000, 18_000]], 0],
];

Deno.test("a client is silent that has room for less and less, as long as something arrives", () => {
  const wrong: string[] = [];
  for (const [what, rounds, wanted] of CLIENTS) {
    let [now, seen] = [0, { ...WINDOW }];
    const clients = new SilentClients(() => [{ ...WINDOW, port: 5001 }, seen], () => now);
    clients.idleMs(PEER);
    clients.round();
    for (const [arrived, taken] of rounds) {
      now += 2000;
      const { acknowledged, window } = seen;
      seen = { ...seen, acknowledged: acknowledged + arrived, window: window - arrived + taken };
      clients.round();
      clients.idleMs(PEER);
    }
    const silentMs = clients.idleMs(PEER);
    if (silentMs !== wanted) wrong.push(`${what}: ${silentMs} ms, not ${wanted}`);
  }
  assert.deepEqual(wrong, []);
});

Deno.test("nobody is looked at who is not asked about, and IPv6 addresses are the same however they are written", () => {
  let [now, looks] = [0, 0];
  const seen = { ...WINDOW, address: "20010db8000000000000000000000001" };
  const clients = new SilentClients(() => {
    looks++;
    return [seen];
  }, () => now);
  clients.round();
  assert.equal(looks, 0);
  const six = { ...PEER, hostname: "2001:db8::1" };
  for (; now < 10_000; now += 2000) {
    clients.idleMs(six);
    clients.round();
    [seen.acknowledged, seen.window] = [seen.acknowledged + 9000, seen.window - 9000];
  }
  assert.ok(clients.idleMs({ ...six, hostname: "2001:0db8:0::0001" }) > 0);
  assert.equal(clients.idleMs({ transport: "unix", path: "/x" }), 0);
  assert.equal(clients.idleMs(null), 0);
  now += 30_000;
  clients.round();
  looks = 0;
  clients.round();
  assert.equal(looks, 0, "it was forgotten");
});

Deno.test("a kernel that never says it is asked five times, and one that fails now and then goes on being asked", () => {
  for (const [fails, wanted] of [[() => true, 5], [(look: number) => look % 5 > 0, 20]] as const) {
    let looks = 0;
    const clients = new SilentClients(() => {
      if (fails(++looks)) throw new Error("no netlink");
      return [];
    }, () => 0);
    for (let round = 0; round < 20; round++) {
      assert.equal(clients.idleMs(PEER), 0);
      clients.round();
    }
    assert.equal(looks, wanted);
  }
});
