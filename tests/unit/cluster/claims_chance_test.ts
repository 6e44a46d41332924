/** Faults by chance on clusters of 3 to 40 nodes; tests/soak/cluster_chance_test.ts has 10,000 of them. */
import { happen } from "../../support/cluster_chance.ts";

for (const seed of [1, 2, 3, 4, 5, 6]) {
  Deno.test(`whatever happens to a cluster, each stream runs once, and no change is lost (seed ${seed})`, async () => {
    await happen(seed, 60);
  });
}
