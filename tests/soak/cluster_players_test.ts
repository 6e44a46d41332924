/** Real players at a node of a cluster go on when the node is lost that has their stream, and when it moves by a drain. */
import { strict as assert } from "node:assert";
import { launchBrowser } from "../support/browser.ts";
import { playlistUrl, untilPageShown } from "../support/channel.ts";
import { checkPlayer, checkSamples, sampleEverySecond, type Span } from "../support/clients.ts";
import { openHlsPage } from "../support/hls_page.ts";
import { kill, processesOfRun } from "../../lib/machine/os/orphans.ts";
import { hasBrowser, newest, nodeCluster } from "../support/node_cluster.ts";
import { CHANNEL_FPS, type PlayerName, type Playing, startPlayer } from "../support/players.ts";
import { pause, within } from "../support/within.ts";

const PATIENCE_MS = 120_000;
/** Milliseconds for which each part is watched, and for a player to begin, or to show what a new node sends. */
const PART_MS = 20_000;
const PLAYER_BACK_MS = 15_000;

Deno.test("hls.js, ffmpeg and mpv go on over the loss of their stream's node, and over a drain", async () => {
  await using cluster = await nodeCluster(["wall-a", "wall-b"]);
  await using things = new AsyncDisposableStack();
  assert.equal((await cluster.run("init", "wall-a")).code, 0);
  const nodes = [await cluster.start("wall-a"), await cluster.start("wall-b")];
  let id = "";
  await within("the cluster to take a stream", PATIENCE_MS, async () => {
    const stream = { name: "Clock", url: nodes[0].pageUrl, fps: CHANNEL_FPS };
    const answer = await nodes[0].api("POST", "/api/streams", stream);
    if (answer.status === 201) id = (await answer.json()).id;
    return id !== "";
  });
  await untilPageShown(nodes[0], id, 0, { limitMs: PATIENCE_MS });
  const [lost, here] = nodes.toSorted((one, other) => Number(hasBrowser(other)) - Number(hasBrowser(one)));

  const spans: Span[] = [];
  const watched = async (what: string) => {
    const from = Date.now() + PLAYER_BACK_MS;
    await pause(PLAYER_BACK_MS + PART_MS);
    spans.push({ what, from, to: Date.now() });
  };
  const url = playlistUrl(here, id);
  const players = new Map<PlayerName, Playing>();
  for (const name of ["ffmpeg", "mpv"] as const) players.set(name, things.use(await startPlayer(name, url)));
  const page = await openHlsPage(things.use(await launchBrowser()), here.url, url);
  const sampling = sampleEverySecond(page);
  await watched("of another node");

  const before = (await newest(here, id))!;
  for (const pid of [lost.pid, ...processesOfRun(lost.runDir)]) kill(pid, "SIGKILL");
  await within("the channel here", PATIENCE_MS, async () => (await newest(here, id) ?? 0) > before + 1);
  await watched("after its node was lost");

  const again = await cluster.start(lost.env.NODE_NAME);
  const drained = await cluster.run("drain", here.env.NODE_NAME);
  assert.equal(drained.code, 0, drained.said);
  await within("the stream to be gone from here", PATIENCE_MS, () => hasBrowser(again) && !hasBrowser(here));
  await watched("after a drain");

  const samples = await sampling.end();
  for (const [name, player] of players) {
    await player.stop();
    await checkPlayer(name, player, spans);
  }
  checkSamples(samples, spans);
  assert.deepEqual(await page.fatalErrors(), []);
});
