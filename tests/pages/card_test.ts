/** What can be done with one stream, and what its card says of it. */
import { strict as assert } from "node:assert";
import { playlistFile } from "../../lib/channel/media/hls.ts";
import { streamId } from "../../lib/model/id.ts";
import { uiTest } from "../support/ui.ts";
import { same } from "../support/same.ts";

const RUNNING = [{ name: "Clock", desiredState: "running" }];
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
  await same(() => [stored(), requests], [0, [30, 30, 10]]);
  await page.getByRole("progressbar").waitFor({ state: "detached" });
}, { streams: Array.from({ length: 70 }, (_, at) => ({ name: `Screen ${at}` })) });

const NEVER = 36_000;

uiTest(
  `a failed stream says why, with the way to its log`,
  async (ui) => {
    const { dashboard, app } = ui;
    const { supervisord } = app.machine;
    const card = dashboard.card("Clock");
    await dashboard.open();
    await dashboard.untilState("Clock", "running");
    const before = (await card.boundingBox())!;

    app.machine.advance(60_000);
    await writePlaylist();
    supervisord.setState("browser-clock", "FATAL");
    await dashboard.poll();
    await dashboard.untilState("Clock", "failed");
    await card.getByText("Browser cannot be started.").waitFor();
    await same(() => card.getByRole("link", { name: "Log" }).getAttribute("href"), "/streams/clock/log");
    await same(async () => (await card.boundingBox())!.height, before.height, "the card's height stays");

    supervisord.setState("browser-clock", "RUNNING");
    await writePlaylist();
    await dashboard.poll();
    await dashboard.untilState("Clock", "running");

    async function writePlaylist() {
      const time = new Date(app.machine.now());
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
