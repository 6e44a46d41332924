import assert from "node:assert/strict";
import { type Guard, GUARDED, type GuardName, GuardWatch } from "../../../../lib/machine/broker/guards.ts";
import { type Repair, Repairs } from "../../../../lib/machine/broker/repairs.ts";
import { repairText } from "../../../../lib/live/programs/repair_news.ts";
import { logged } from "../../../support/logged.ts";

Deno.test("what was undone is told once, what cannot be put back keeps streams from starting", async () => {
  const NAMES = Object.keys(GUARDED) as GuardName[];
  const wrong: string[] = [];
  for (const name of NAMES) {
    let outcome: boolean | Error = false;
    const guard: Guard = {
      name,
      look: () => outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome),
    };
    const repairs = new Repairs();
    const held: Guard = { name: NAMES.find((one) => one !== name)!, look: () => Promise.resolve(false) };
    let now = 0;
    const watch = new GuardWatch([held, guard], repairs, () => now);
    const said = await logged(async () => {
      await watch.round();
      await watch.check();
      outcome = true;
      // a tool undoes it at each look
      for (; now < 60_000; now += 5000) await watch.round();
      // a text that is another at each look
      for (let looks = 0; looks < 3; looks++) {
        outcome = new Error(`No space left on device: .${looks}.tmp`);
        await watch.round();
      }
      await assert.rejects(watch.check(), new RegExp(`${GUARDED[name]}.*No space left on device`));
      outcome = true;
      await watch.check();
      now += 60_000;
      await watch.round();
    });
    const told = repairs.after(0).map(({ program, reason }) => `${program} ${reason}`);
    if (told.join() !== `${name} undone,${name} lost,${name} undone,${name} undone`) {
      wrong.push(`${name}: ${told}`);
    }
    if (said.length !== 4 || !said[1].includes("No space left")) wrong.push(`${name}: ${said.join("\n")}`);
    const texts = repairs.after(0).map((one: Repair) => repairText(one, null) ?? "nothing");
    if (!texts.every((text) => text.startsWith(GUARDED[name]))) wrong.push(`${name}: ${texts}`);
  }
  assert.deepEqual(wrong, []);
});
