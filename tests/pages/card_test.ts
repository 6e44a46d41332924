/** What can be done with one stream, and what its card says of it. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { playlistFile } from "../../lib/media/hls.ts";
import { streamId } from "../../lib/model/id.ts";
import { uiTest } from "../support/ui.ts";
import { inSoak, unlessUsual } from "../support/soak.ts";
import { same } from "../support/same.ts";

const RUNNING = [{ name: "Clock", desiredState: "running" }];
const DISK_FULL = { status: 500, json: { error: { message: "The disk is full." } } };

uiTest("a stopped stream says so at once, and starts again", async ({ dashboard, app, layoutShift }) => {
  const { supervisord } = app.machine;
  await dashboard.open();
  await dashboard.untilState("Clock", "running");
  const stopNow = supervisord.block();
  await dashboard.action("Clock", "Stop").click();
  await dashboard.untilState("Clock", "stopped"); // ahead of the service
  assert.equal(supervisord.state("encoder-clock"), "RUNNING");
  stopNow();
  await dashboard.untilAnnounced("Clock is stopped.");
  await dashboard.untilState("Clock", "stopped");
  assert.equal(supervisord.state("encoder-clock"), "STOPPED");
  await dashboard.action("Clock", "Start").click();
  await dashboard.untilState("Clock", "running");
  assert.equal(supervisord.state("encoder-clock"), "RUNNING");
  assert.equal(await layoutShift(), 0);
}, { streams: RUNNING });

uiTest("a stream is edited", async ({ dashboard, app }) => {
  await dashboard.open();
  await dashboard.choose("Clock", "Edit");
  await same(() => dashboard.field("Page address").inputValue(), "https://clock.example.org/");
  await dashboard.field("Name").fill("Wall clock");
  await dashboard.press("Enter");
  await dashboard.card("Wall clock").waitFor();
  assert.equal((await app.api("GET", "/api/streams/clock")).json.name, "Wall clock");
}, { streams: RUNNING });

uiTest("the card says how often the page reloads", async ({ dashboard, app }) => {
  const sign = dashboard.card("Clock").getByTitle("The page reloads every 30 min");
  await dashboard.open();
  await same(() => sign.count(), 0);
  await app.api("POST", "/api/streams/clock/autoreload", { autoReload: true });
  await dashboard.poll();
  await sign.waitFor();
}, { streams: RUNNING });

uiTest("resetting the sign-in asks first, naming the stream and what is lost", async ({ dashboard, app }) => {
  const question = dashboard.dialog("Reset the sign-in?");
  await dashboard.open();
  app.machine.supervisord.commands();
  await dashboard.choose("Clock", "Reset sign-in");
  await question.getByText("Clock").waitFor();
  await question.getByText("signed out").waitFor();
  await dashboard.press("Escape");
  await question.waitFor({ state: "detached" });
  assert.deepEqual(app.machine.supervisord.commands(), []);
}, { streams: RUNNING });

inSoak(uiTest)("a recreated stream starts again while its card says so", async ({ dashboard, app }) => {
  const { supervisord } = app.machine;
  const profile = join(app.paths.profilesDir, "clock");
  await Deno.mkdir(profile, { recursive: true });
  await Deno.writeTextFile(join(profile, "Cookies"), "signed in");
  const question = dashboard.dialog("Reset the sign-in?");
  await dashboard.open();
  supervisord.commands();
  const recreateNow = supervisord.block();
  await dashboard.choose("Clock", "Reset sign-in");
  await question.getByRole("button", { name: "Reset sign-in", exact: true }).click();
  await question.waitFor({ state: "detached" });
  await dashboard.untilState("Clock", "starting");
  recreateNow();
  await dashboard.untilState("Clock", "running");
  assert.ok(supervisord.commands().includes("start stream-clock:*"));
  await assert.rejects(Deno.stat(join(profile, "Cookies")), Deno.errors.NotFound);
}, { streams: RUNNING });

inSoak(uiTest)(
  "a stream that could not be recreated is told, and is as before",
  async ({ page, dashboard, app }) => {
    await dashboard.open();
    const release = app.machine.supervisord.block();
    app.machine.supervisord.fail("no such group");
    await dashboard.choose("Clock", "Reset sign-in");
    await page.getByRole("dialog").getByRole("button", { name: "Reset sign-in", exact: true }).click();
    await dashboard.untilState("Clock", "starting");
    release();
    await page.getByRole("alert").getByText("“Clock” could not be reset.").waitFor();
    await dashboard.untilState("Clock", "running");
  },
  { streams: RUNNING, mayLog: /503/ },
);

uiTest("deleted streams can be had back for 10 s, and are gone when the page is left", async (ui) => {
  const { page, dashboard, app, url } = ui;
  const undo = page.getByRole("button", { name: "Undo" });
  const stored = () => app.service.streams.list("admin").map(({ id }) => id);
  await dashboard.open();
  await dashboard.choose("Clock", "Delete");
  await dashboard.card("Clock").waitFor({ state: "detached" });
  await same(() => dashboard.isFocused(dashboard.card("Sales")), true, "the keys go on at the next card");
  await dashboard.untilAnnounced("“Clock” is deleted.");
  await undo.click();
  await dashboard.card("Clock").and(page.locator(":focus")).waitFor();
  assert.deepEqual(stored(), ["clock", "sales", "lobby"], "nothing was done so far");
  for (const name of ["Sales", "Lobby"]) await page.getByRole("checkbox", { name: `Select ${name}` }).click();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await dashboard.untilState("Sales", "stopped");
  await undo.click();
  await dashboard.untilState("Sales", "running");
  await page.getByRole("toolbar").getByRole("button", { name: "Delete" }).click();
  await dashboard.untilAnnounced("2 streams are deleted.");
  await dashboard.untilOrder(["Clock"]);
  await page.goto(`${url}/wall`);
  await same(stored, ["clock"]);
}, {
  streams: [...RUNNING, { name: "Sales", desiredState: "running" }, { name: "Lobby" }],
});

uiTest("of many that are deleted the page says how far it is", async ({ page, dashboard, app }) => {
  const stored = () => app.service.streams.list("admin").length;
  const held = Promise.withResolvers<void>();
  const requests: number[] = [];
  await page.clock.install();
  await page.route("**/api/streams?ids=*", async (route) => {
    requests.push(new URL(route.request().url()).searchParams.get("ids")!.split(",").length);
    if (requests.length === 2) await held.promise;
    await route.continue();
  });
  await dashboard.open();
  await page.getByRole("checkbox", { name: "Select Screen 0", exact: true }).click();
  await page.getByRole("toolbar").getByRole("button", { name: "All 70" }).click();
  await page.getByRole("toolbar").getByRole("button", { name: "Delete" }).click();
  await dashboard.untilAnnounced("70 streams are deleted.");
  assert.equal(stored(), 70, "until nobody can take it back");
  await page.clock.fastForward(10_000);
  const progress = page.getByLabel("Deleting 30 of 70.");
  await progress.waitFor();
  await same(() => progress.getAttribute("value"), "30");
  await same(stored, 40);
  held.resolve();
  await progress.waitFor({ state: "detached" });
  assert.deepEqual([stored(), requests], [0, [30, 30, 10]]);
}, { streams: Array.from({ length: 70 }, (_, at) => ({ name: `Screen ${at}` })) });

inSoak(uiTest)("a stream that cannot be deleted is back, and says why", async ({ page, dashboard }) => {
  await page.clock.install();
  await page.route("**/api/streams/clock", (route) => route.fulfill(DISK_FULL));
  await dashboard.open();
  await dashboard.choose("Clock", "Delete");
  await dashboard.card("Clock").waitFor({ state: "detached" });
  await page.clock.fastForward(10_000);
  await page.getByRole("alert").getByText("“Clock” could not be deleted. The disk is full.").waitFor();
  await dashboard.card("Clock").waitFor();
}, { streams: RUNNING, mayLog: /500/ });

const NEVER = 36_000;

for (
  const [state, what, reason] of [
    [
      "failed",
      "browser-clock FATAL",
      "Browser cannot be started.",
    ],
    ["degraded", "display-clock BACKOFF", "Display is down and being restarted."],
    ["degraded", "encoder-clock silent", /^No new picture for \d+ s/],
  ] as const
) {
  unlessUsual(state === "failed", uiTest)(
    `a ${state} stream says why, with the way to its log: ${what}`,
    async (ui) => {
      const { dashboard, app } = ui;
      const { supervisord } = app.machine;
      const card = dashboard.card("Clock");
      const [program, change] = what.split(" ");
      await dashboard.open();
      await dashboard.untilState("Clock", "running");
      const before = (await card.boundingBox())!;

      app.machine.advance(60_000);
      if (change === "silent") await writePlaylist(60_000);
      else {
        await writePlaylist();
        supervisord.setState(program, change as "FATAL" | "BACKOFF");
      }
      await dashboard.poll();
      await dashboard.untilState("Clock", state);
      await card.getByText(reason).waitFor();
      await same(() => card.getByRole("link", { name: "Log" }).getAttribute("href"), "/streams/clock/log");
      await same(async () => (await card.boundingBox())!.height, before.height, "the card's height stays");

      supervisord.setState(program, "RUNNING");
      await writePlaylist();
      await dashboard.poll();
      await dashboard.untilState("Clock", "running");

      async function writePlaylist(ageMs = 0) {
        const time = new Date(app.machine.now() - ageMs);
        await Deno.utime(playlistFile(app.paths.hlsDir, streamId("clock")), time, time);
      }
    },
    {
      streams: RUNNING,
      env: {
        // what the page sees is what there is, and no keeper mends it
        TIMINGS: JSON.stringify({
          statusCacheMs: 1,
          playlistStaleMs: 30_000,
          programRetrySeconds: NEVER,
        }),
      },
    },
  );
}

uiTest("a stream that runs only while watched waits on its card, and is played from there", async (ui) => {
  const { dashboard, app, page } = ui;
  await dashboard.open();
  await dashboard.untilState("Clock", "waiting");
  const card = dashboard.card("Clock");
  await card.getByText("for a viewer").waitFor();
  await page.getByRole("link", { name: "1 waiting" }).waitFor();
  await same(async () => await dashboard.action("Clock", "Play").getAttribute("class") ?? "", /primary/);
  await dashboard.screenshot("card-waiting");
  app.service.fleet.watched(streamId("clock"));
  await dashboard.poll();
  await dashboard.untilState("Clock", "running");
}, {
  streams: [{ name: "Clock", desiredState: "running", onDemand: true }],
  env: { TIMINGS: '{"statusCacheMs":1}' },
});
