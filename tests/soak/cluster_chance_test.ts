/** 10,000 faults by chance on clusters of 3 to 40 nodes, in virtual time: 30 hours of it in a few minutes. */
import { happen, type Told } from "../support/cluster_chance.ts";

const FAULTS = Number(Deno.env.get("CHANCE_FAULTS") ?? 10_000);
const A_CLUSTER = 100;

Deno.test(`${FAULTS} faults by chance: each stream runs once, no change is lost, no number goes back`, async () => {
  const all: Told = { faults: 0, kinds: {}, seconds: 0 };
  const begin = Math.floor(Math.random() * 1e6);
  for (let seed = begin; all.faults < FAULTS; seed++) {
    const told = await happen(seed, Math.min(A_CLUSTER, FAULTS - all.faults));
    all.faults += told.faults;
    all.seconds += told.seconds;
    for (const [kind, count] of Object.entries(told.kinds)) all.kinds[kind] = (all.kinds[kind] ?? 0) + count;
  }
  console.log(`${all.faults} faults in ${Math.round(all.seconds / 3600)} virtual hours:`, all.kinds);
});
