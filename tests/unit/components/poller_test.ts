import { strict as assert } from "node:assert";
import { Poller } from "../../../components/client/poller.ts";

/** A page whose time passes when told, and a service that answers when told. */
function polled(every = 3000) {
  const page = { isHidden: false, pauses: [] as number[], due: null as (() => void) | null };
  const answers: { ok(): void; fail(): void }[] = [];
  const poller = new Poller(
    () =>
      new Promise((ok, fail) => {
        answers.push({ ok, fail: () => fail(new Error("away")) });
      }),
    every,
    {
      isHidden: () => page.isHidden,
      after(ms, call) {
        page.pauses.push(ms);
        page.due = call;
        return () => page.due = page.due === call ? null : page.due;
      },
    },
  );
  const answer = async (how: "ok" | "fail") => {
    answers.at(-1)![how]();
    await new Promise((done) => setTimeout(done));
  };
  return { page, poller, answer, sent: () => answers.length };
}

Deno.test("polls follow each other after a pause; failures double it up to 30 s, an answer ends that", async () => {
  const { page, answer, sent } = polled();
  const outcomes = ["ok", "fail", "fail", "fail", "fail", "fail", "ok"] as const;
  for (const [n, outcome] of outcomes.entries()) {
    assert.equal(sent(), n, "nothing is sent during the pause");
    page.due!();
    await answer(outcome);
  }
  assert.deepEqual(page.pauses, [3000, 3000, 6000, 12_000, 24_000, 30_000, 30_000, 3000]);
});

Deno.test("a wish during a poll is one more poll right after it, however often it is made", async () => {
  const { page, poller, answer, sent } = polled();
  poller.now();
  poller.now();
  poller.now();
  assert.equal(sent(), 1, "never two at a time");
  assert.equal(page.due, null);
  await answer("ok");
  assert.equal(sent(), 2);
  await answer("ok");
  assert.equal(sent(), 2);
  assert.deepEqual(page.pauses, [3000, 3000]);
});

Deno.test("a wish cuts the pause after failures short", async () => {
  const { page, poller, answer, sent } = polled();
  page.due!();
  await answer("fail");
  poller.now();
  assert.equal(sent(), 2);
  await answer("ok");
  assert.deepEqual(page.pauses, [3000, 6000, 3000]);
});

Deno.test("a hidden page is not polled, a stopped poller never again", async () => {
  const { page, poller, answer, sent } = polled();
  page.isHidden = true;
  page.due!();
  assert.deepEqual([sent(), page.due], [0, null]);
  page.isHidden = false;
  poller.now();
  assert.equal(sent(), 1);
  poller.now();
  poller.stop();
  await answer("ok");
  assert.deepEqual([sent(), page.due], [1, null]);
  await poller.now();
  assert.equal(sent(), 1);
});
