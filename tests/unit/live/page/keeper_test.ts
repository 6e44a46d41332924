/** What follows from a look at a page, together with what else is known of the stream. */
import { strict as assert } from "node:assert";
import type { ScreenCover } from "../../../../lib/display/x11/cover.ts";
import type { LoginReport } from "../../../../lib/signin/report.ts";
import type { Stream } from "../../../../lib/model/schema.ts";
import { GOOD_SITE } from "../../../support/fake_browser.ts";
import { aKeptPage } from "../../../support/kept_page.ts";

/** A page whose display notes what is over it. */
function covered(fields: Partial<Stream> = {}) {
  const state = { isLow: true, cover: "nothing" };
  const kept = aKeptPage(fields, { isDiskLow: () => state.isLow });
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
    Object.defineProperty(kept.live.logins, "login", {
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

Deno.test("a sound server that was restarted does not give a broken page its sound back", async () => {
  const { keeper, world } = covered({ audio: true });
  const done: string[] = [];
  const noted = (what: string) => () => Promise.resolve(void done.push(what));
  Object.assign(world.machine.broker, { mute: noted("mute"), unmute: noted("unmute") });
  keeper.soundServerIs(1);
  await keeper.pageIs(true);
  for (const pid of [1, 2]) {
    keeper.soundServerIs(pid);
    await keeper.pageIs(false);
  }
  assert.deepEqual(done, ["unmute", "mute", "mute"]);
  await keeper.close();
});

Deno.test("a server that never asks for the login that is set: its stream names the ways that are known", async () => {
  const LOGIN = { user: "ops", pass: "sesame" };
  const rows = [
    [LOGIN, "watching", 20, "login-failed"],
    [LOGIN, "watching", 10, "needs-login"],
    [LOGIN, "asking", 20, "needs-login"],
    [{}, "watching", 20, "needs-login"],
  ] as const;
  for (const [login, helper, seconds, state] of rows) {
    const { keeper, browser, live, logged, pass } = covered(login);
    Object.defineProperty(live.logins, "hasBegun", { get: () => true });
    if (helper === "asking") logged(helper);
    browser.site = { ...GOOD_SITE, status: 401 };
    browser.go(browser.front!, live.stream!.url);
    await pass(seconds);
    const { page } = keeper.health;
    assert.equal(page?.state, state, `${helper} for ${seconds} s`);
    if (state === "login-failed") assert.match(page?.error ?? "", /Basic, Digest and NTLM/);
    await keeper.close();
  }
});

Deno.test("what a stream's pages ask of other programs is told once a scheme, whatever tab asks", async () => {
  const { world, keeper, browser, pass } = aKeptPage();
  const ask = async (payload: string) => {
    await pass(6);
    browser.tell(browser.front!, "Runtime.bindingCalled", { name: "browserStreamAppAsked", payload });
  };
  await ask("mailto");
  await ask("mailto");
  // as the next page in its turn, which has a tab of its own
  browser.tabs = [];
  await pass(30);
  await ask("mailto");
  await ask("zoommtg");
  await pass(6);
  const asked = world.events().filter((text) => text.includes("asked for a program"));
  assert.deepEqual(asked.map((text) => /for (\w+):/.exec(text)?.[1]), ["mailto", "zoommtg"]);
  await keeper.close();
});

Deno.test("pages in turn: the next one and when it is shown are known, but not of a page alone", async () => {
  const several = aKeptPage({ morePages: "https://b.example/ 20", pageSeconds: 30 });
  const alone = aKeptPage();
  const seen = [];
  for (const { keeper, live, pass } of [several, alone]) {
    await pass(10);
    const next = keeper.nextPage(live.stream!);
    seen.push(next && [next.url, next.at > several.world.machine.now()]);
    await keeper.close();
  }
  assert.deepEqual(seen, [["https://b.example/", true], null]);
});

Deno.test("a page that was brought home before its browser said what windows it has is left alone", async () => {
  const { browser, live, keeper, pass } = aKeptPage();
  const before = browser.front;
  browser.isRunning = false;
  await pass(1);
  await assert.rejects(keeper.home(live.stream!), /does not answer/);
  browser.isRunning = true;
  await keeper.home(live.stream!);
  await pass(6);
  assert.deepEqual([browser.tabs.length, browser.front, keeper.health.page?.state], [1, before, "ok"]);
  await keeper.close();
});

Deno.test("whoever brings a page home at the same time does it one after the other", async () => {
  const { browser, live, keeper } = aKeptPage();
  browser.tabs = [];
  let opened = 0;
  const { openTab } = browser.control;
  browser.control.openTab = (...given) => {
    opened++;
    return openTab.apply(browser.control, given);
  };
  await Promise.all(Array.from({ length: 3 }, () => keeper.home(live.stream!)));
  assert.deepEqual(
    [opened, browser.tabs.length],
    [1, 1],
    "the first opens a window, the others use it",
  );
  await keeper.close();
});

Deno.test("a page that an earlier web app has opened is dressed at the first look", async () => {
  const { browser, keeper, pass } = aKeptPage({ css: "a { color: red }" });
  const { connect } = browser.control;
  const scripts: string[] = [];
  browser.control.connect = async (tab) => {
    const page = await connect.call(browser.control, tab);
    const { send } = page;
    page.send = (method, params) => {
      if (method === "Page.addScriptToEvaluateOnNewDocument") scripts.push(String(params?.source));
      return send.call(page, method, params) as Promise<never>;
    };
    return page;
  };
  await pass(1);
  assert.ok(scripts.some((source) => source.includes("color: red")), scripts.join());
  await keeper.close();
});
