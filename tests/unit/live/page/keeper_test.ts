/** What follows from a look at a page, together with what else is known of the stream. */
import { strict as assert } from "node:assert";
import type { ScreenCover } from "../../../../lib/x11/cover.ts";
import type { LoginReport } from "../../../../lib/devtools/login_report.ts";
import { aKeptPage } from "../../../support/kept_page.ts";

/** A page whose display notes what is over it. */
function covered() {
  const state = { isLow: true, cover: "nothing" };
  const kept = aKeptPage({}, { isDiskLow: () => state.isLow });
  kept.world.machine.openCover = () =>
    Promise.resolve(
      {
        isOpen: true,
        size: { width: 2, height: 1 },
        keep: () => Promise.resolve(1),
        load: () => Promise.resolve(2),
        forget: () => {},
        show: () => Promise.resolve(void (state.cover = "picture")),
        hide: () => Promise.resolve(void (state.cover = "nothing")),
        [Symbol.dispose]: () => {},
      } as unknown as ScreenCover,
    );
  const logged = (login: LoginReport["login"]) =>
    Object.defineProperty(kept.logins, "login", {
      configurable: true,
      get: () => ({ login, seen: "no", tries: 1, isLast: false, since: 0 }),
    });
  return { ...kept, state, logged };
}

Deno.test("what others know of a stream is told also while its page is being opened, which stays as it is on the air", async () => {
  const { keeper, state, logged } = covered();
  logged("failed");
  await keeper.pageIs(null);
  assert.deepEqual([keeper.health.page?.state, keeper.health.isDiskFull], ["login-failed", true]);
  Object.assign(state, { isLow: false });
  logged("succeeded");
  await keeper.pageIs(null);
  assert.deepEqual([keeper.health.page, keeper.health.isDiskFull], [null, false]);
  assert.deepEqual([state.cover, keeper.isShown], ["nothing", false]);
  await keeper.pageIs(true);
  assert.equal(keeper.isShown, true);
  logged("asking");
  await keeper.pageIs(true);
  assert.deepEqual([state.cover, keeper.isShown], ["picture", false], "nobody is to see a login");
  await keeper.close();
});

Deno.test("a page that is closed keeps nothing open, and covers nothing any more", async () => {
  const { keeper, browser, state, pass } = covered();
  await pass(10);
  assert.equal(keeper.isShown, true);
  await keeper.close();
  browser.ask(browser.front!);
  await keeper.pageIs(false);
  assert.equal(state.cover, "nothing");
  assert.equal(browser.front!.isAsking, true, "nobody answers its dialogs");
});
