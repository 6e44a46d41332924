/** A stream whose name follows its page's title, until somebody sets one. */
import { strict as assert } from "node:assert";
import { type StreamId, streamId } from "../../lib/model/id.ts";
import { GOOD_SITE } from "../support/fake_browser.ts";
import { clusterTest, running } from "../support/test_cluster.ts";
import { type LivingApp, livingTest } from "../support/living_test.ts";

/** From a page's opening until its name is known: two looks at a page whose title stays. */
const KNOWN_MS = 15_000;

/** The stream that a pasted address makes, whose page has a title. */
async function pasted(app: LivingApp, title: string, fields: Record<string, unknown> = {}) {
  const { living, running } = app;
  const id = streamId("grafana-local");
  living.browser(id).site = { ...GOOD_SITE, title };
  assert.equal(await running("grafana.local", { nameFollowsTitle: true, ...fields }), id);
  return stored(app, id);
}

function stored({ service }: LivingApp, id: StreamId) {
  const now = () => service.streams.get(id, "admin");
  return {
    id,
    name: () => now().name,
    follows: () => now().nameFollowsTitle,
    now,
  };
}

livingTest("the page's title becomes the name once, and the id, revision and programs stay", async (app) => {
  const { clock, living } = app;
  const { id, name, now } = await pasted(app, "Sales – Grafana");
  const pid = living.pid(`browser-${id}`);
  await clock.advance(KNOWN_MS);
  assert.equal(name(), "Sales – Grafana");
  assert.deepEqual([now().revision, "nameFollowsTitle" in now()], [0, false]);
  assert.equal(living.pid(`browser-${id}`), pid, "the browser was not started again");
  assert.match(await (await app.fetch("/playlist.m3u")).text(), /,Sales – Grafana\n/);
  const { events } = (await app.api("GET", `/api/streams/${id}/events`)).json;
  assert.ok(events.some(({ text }: { text: string }) => text.includes("“Sales – Grafana”")));
  living.browser(id).site = { ...GOOD_SITE, title: "Another" };
  await clock.advance(KNOWN_MS);
  assert.equal(name(), "Sales – Grafana");
});

livingTest("a title that changes is waited for, and one that is empty names nothing", async (app) => {
  const { clock, living } = app;
  const { id, name, follows } = await pasted(app, "");
  await clock.advance(KNOWN_MS);
  assert.deepEqual([name(), follows()], ["grafana.local", true]);
  for (const title of ["(1) Loading", "(2) Loading", "(3) Loading", "(4) Loading"]) {
    living.browser(id).site = { ...GOOD_SITE, title };
    await clock.advance(5000);
    assert.equal(name(), "grafana.local");
  }
  await clock.advance(KNOWN_MS);
  assert.equal(name(), "(4) Loading");
});

const LONG = "Umsatz ".repeat(50);
const TITLES = [
  ["what another stream has gets a number", "Lobby", "Lobby 2"],
  ["300 characters are cut", LONG, /^(Umsatz ){16}Um…$/],
  ["controls and directions are left out", "A\u202e\u0007\u200bB\nC", "A B C"],
  ["nothing that is seen names nothing", "\u202e\u200b", "grafana.local"],
] as const;

for (const [what, title, wanted] of TITLES) {
  livingTest(`a title as a name: ${what}`, async (app) => {
    await app.running("Lobby");
    const { name } = await pasted(app, title);
    await app.clock.advance(KNOWN_MS);
    if (typeof wanted === "string") assert.equal(name(), wanted);
    else assert.match(name(), wanted);
  });
}

livingTest("a name that somebody sets stays: by PATCH, PUT, and before the title is known", async (app) => {
  const { id, name, follows } = await pasted(app, "");
  const path = `/api/streams/${id}`;
  await app.api("PATCH", path, { fps: 5 });
  assert.equal(follows(), true, "another setting is no name");
  await app.api("PATCH", path, { name: "grafana.local" });
  assert.equal(follows(), undefined, "the same name was set, too");
  app.living.browser(id).site = { ...GOOD_SITE, title: "Sales" };
  await app.clock.advance(KNOWN_MS);
  assert.equal(name(), "grafana.local");
});

livingTest("a client that sends back the old stream has its name, and there is no quarrel", async (app) => {
  const { id, name, now } = await pasted(app, "Sales");
  const { id: _, ...before } = { ...now(), nameFollowsTitle: true, name: "grafana.local" };
  await app.clock.advance(KNOWN_MS);
  assert.equal(name(), "Sales");
  const { status } = await app.api("PUT", `/api/streams/${id}`, before);
  assert.equal(status, 200);
  await app.clock.advance(KNOWN_MS);
  assert.deepEqual([name(), "nameFollowsTitle" in now()], ["grafana.local", false]);
});

livingTest("a client that sends back the stream with its mark does not end the wait", async (app) => {
  const { id, name, now, follows } = await pasted(app, "");
  const { id: _, ...same } = now();
  await app.api("PUT", `/api/streams/${id}`, { ...same, fps: 12 });
  assert.equal(follows(), true);
  app.living.browser(id).site = { ...GOOD_SITE, title: "Sales" };
  await app.clock.advance(KNOWN_MS);
  assert.deepEqual([name(), now().fps], ["Sales", 12]);
});

livingTest("a stream that was made with a name keeps it", async (app) => {
  const { id, name } = await pasted(app, "Sales", { nameFollowsTitle: undefined });
  await app.clock.advance(KNOWN_MS);
  assert.deepEqual([id, name()], ["grafana-local", "grafana.local"]);
});

livingTest("the title of a broken page, or of a login, is no name", async (app) => {
  const { id, name } = await pasted(app, "");
  for (const fault of [{ isLogin: true, status: 200 }, { status: 502 }]) {
    const browser = app.living.browser(id);
    browser.site = { ...GOOD_SITE, ...fault, title: "502 Bad Gateway" };
    browser.go(browser.front!, `${browser.front!.url}?${fault.status}`);
    await app.clock.advance(KNOWN_MS);
    assert.equal(name(), "grafana.local", JSON.stringify(fault));
  }
});

clusterTest(
  "in a cluster the node that runs it names it, and all nodes have the name",
  2,
  async (cluster) => {
    const { clock, nodes } = cluster;
    const id = streamId("ash");
    for (const { app } of nodes) app.living!.browser(id).site = { ...GOOD_SITE, title: "The tree" };
    await running(cluster, id, 0, { nameFollowsTitle: true });
    await clock.advance(KNOWN_MS);
    for (const { app } of nodes) assert.equal(app.service.streams.get(id, "admin").name, "The tree");
  },
);
