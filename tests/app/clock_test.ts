/** The machine's clock is set while streams run: what is wrong is repaired in the usual time, and nothing else happens. */
import { strict as assert } from "node:assert";
import type { StreamId } from "../../lib/model/id.ts";
import { livingTest, pidsOf, problemsOf } from "../support/living_test.ts";

const HOUR = 3_600_000;

/** From a page's or program's fault until it is repaired, as faults_test.ts has it. */
const LIMITS = { browser: 45_000, encoder: 25_000, page: 30_000 } as const;

for (const [how, ms] of [["back", -HOUR], ["forward", HOUR]] as const) {
  livingTest(`a clock that is set ${how} by an hour keeps nothing from being repaired`, async (app) => {
    const { living, clock } = app;
    const browser = await app.running("Browser");
    const encoder = await app.running("Encoder");
    const page = await app.running("Page");
    const calm = await app.running("Calm");
    await clock.advance(60_000);
    clock.set(ms);
    const untouched = pidsOf(living, calm);
    const hung = { browser: living.pid(`browser-${browser}`), encoder: living.pid(`encoder-${encoder}`) };
    living.hang(`browser-${browser}`);
    living.hang(`encoder-${encoder}`);
    living.browser(page).tell(living.browser(page).front!, "Inspector.targetCrashed");
    const state = async (id: StreamId) => (await app.service.statuses.all())[id].page?.state;
    let crashed: string | undefined = "crashed";
    void state(page);
    const rows = [
      ...(["browser", "encoder"] as const).map((kind) => ({
        name: kind,
        limitMs: LIMITS[kind],
        problem: () => {
          const id = kind === "browser" ? browser : encoder;
          return living.pid(`${kind}-${id}`) === hung[kind] ? "it is as before" : living.problem(id);
        },
      })),
      {
        name: "page",
        limitMs: LIMITS.page,
        problem: () => {
          void state(page).then((one) => crashed = one);
          return crashed === "ok" ? living.problem(page) : `the page is ${crashed}`;
        },
      },
    ];
    assert.deepEqual(await problemsOf(app, rows), []);
    await clock.advance(60_000);
    assert.deepEqual(pidsOf(living, calm), untouched, "the stream that nothing happened to goes on");
    const states = Object.values(await app.service.statuses.all()).map(({ state }) => state);
    assert.deepEqual(states, ["running", "running", "running", "running"]);
  });

  livingTest(`a clock that is set ${how} by an hour restarts nothing`, async (app) => {
    const { living, clock } = app;
    const ids = [await app.running("A"), await app.running("B")];
    const before = ids.map((id) => pidsOf(living, id));
    await clock.advance(30_000);
    clock.set(ms);
    for (let seconds = 0; seconds < 120; seconds++) {
      await clock.advance(1000);
      const states = Object.values(await app.service.statuses.all()).map(({ state }) => state);
      assert.deepEqual(states, ["running", "running"], `${seconds} s after it`);
    }
    assert.deepEqual(ids.map((id) => pidsOf(living, id)), before);
  });
}
