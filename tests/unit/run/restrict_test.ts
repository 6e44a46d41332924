/** Where a channel is pushed to: one look at its name, judged and used. */
import { strict as assert } from "node:assert";
import { placeOfPush } from "../../../lib/run/programs/restrict.ts";

const PUBLIC = "192.0.2.7";

Deno.test("the address that a push's name had when it was judged is the one in the kernel's rules", async () => {
  const cases: [what: string, looks: string[][], addresses: string[] | undefined][] = [
    ["public, then this machine", [[PUBLIC], ["127.0.0.1"]], [PUBLIC]],
    ["public, then a metadata service", [[PUBLIC], ["169.254.169.254"]], [PUBLIC]],
    ["public and this machine at once", [[PUBLIC, "127.0.0.1"]], undefined],
    ["public and a metadata service at once", [["2001:db8::1", "fd00:ec2::254"]], undefined],
    ["this machine, then public", [["::1"], [PUBLIC]], undefined],
  ];
  for (const [what, looks, addresses] of cases) {
    let at = 0;
    const network = {
      hostname: "wall",
      ownAddresses: () => ["127.0.0.1", "::1"],
      ownNetworks: () => [],
      resolve: () => Promise.resolve(looks[Math.min(at++, looks.length - 1)]),
    };
    const spec = { display: 106, stream: { pushTo: "rtmp://rebinding.example/live" } };
    const place = await placeOfPush({ ALLOW_LOCAL_STREAMS: false }, spec, network);
    assert.deepEqual([place?.addresses, at], [addresses, 1], what);
  }
});
