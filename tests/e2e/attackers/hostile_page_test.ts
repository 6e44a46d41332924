import { strict as assert } from "node:assert";
import { join } from "node:path";
import {
  ADDRESS_SECRET,
  attackedTest,
  encoderKey,
  runningStream,
  stillPage,
} from "../../support/attacked_service.ts";
import { listenForDatagrams } from "../../support/datagrams.ts";
import { serveHostile } from "../../support/hostile_pages.ts";
import { commandLine } from "../../support/proc.ts";
import { WALL_HOST, wallAddress } from "../../../lib/reach/wall_address.ts";
import { RemoteBrowser } from "../../support/remote_browser.ts";
import { same, until } from "../../support/same.ts";
import { SMALLEST } from "../../support/service.ts";
import { inSoak } from "../../support/soak.ts";

/** This machine's, beside 127.0.0.1. */
const NOTATIONS = [
  ...["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0.0.0.0", "0", "localhost", "x.localhost"],
  ...["[::1]", "[::ffff:7f00:1]", Deno.hostname()],
  ...Deno.networkInterfaces().map(({ address }) => address).filter((one) => /^[\d.]+$/.test(one)),
];

attackedTest(
  "a hostile page reads and changes nothing of the service and the other streams",
  async (service) => {
    await using pages = serveHostile();
    await using canary = serveHostile();
    const url = stillPage(service);
    await runningStream(service, "Left");
    const victim = new RemoteBrowser(service, "left");
    await victim.untilOnlyPage(url);
    const [target] = await victim.control.pages();
    const { VNC_PROXY_PORT, RTMP_PORT, PORT, MEDIA_PORT } = service.env;
    const http = [
      `http://127.0.0.1:${VNC_PROXY_PORT}/vnc_lite.html`,
      `http://127.0.0.1:${RTMP_PORT}/live/left`,
      `http://127.0.0.1:${PORT}/api/streams`,
      `http://127.0.0.1:${PORT}/api/streams/left/stop`,
      ...["/login", "/t/x/playlist.m3u", "/playlist.m3u"].map((path) => `http://127.0.0.1:${PORT}${path}`),
      `http://127.0.0.1:${PORT}/api/streams/left/home`,
      `http://127.0.0.1:${MEDIA_PORT}/live/left/index.m3u8`,
      ...NOTATIONS.map((host) => `http://${host}:${PORT}/api/config`),
      `http://${WALL_HOST}:${PORT}/wall`,
      ...NOTATIONS.map((host) => `http://${host}:${new URL(canary.url).port}/canary`),
    ];
    const ws = [
      `ws://127.0.0.1:${VNC_PROXY_PORT}/websockify?token=left`,
      `ws://127.0.0.1:${VNC_PROXY_PORT}/`,
      `ws://127.0.0.1:${PORT}/websockify?token=left`,
    ];
    const encoder = await service.programPid("encoder-left");
    const streams = async () => {
      const all: { id: string }[] = await (await service.api("GET", "/api/streams")).json();
      return all.map(({ id }) => id).sort();
    };
    const before = await streams();
    const targets = encodeURIComponent(JSON.stringify({ http, ws }));
    await using hostile = await service.temporaryStream({
      name: "Hostile",
      url: `${pages.url}hostile?targets=${targets}`,
      audio: false,
      ...SMALLEST,
    });
    await until("the hostile page's report", () => pages.reports.length > 0);
    const [results] = pages.reports;
    assert.ok(results.length >= http.length * 8 + ws.length, `only ${results.length} tries`);
    const readable = results.filter(({ got }) => got !== "" && got !== "opened");
    assert.deepEqual(readable, []);
    assert.deepEqual(results.filter(({ got }) => got === "opened").map(({ what }) => what), []);
    assert.deepEqual(canary.requests, [], "a request got out, though nobody could read the answer");

    const seen = (await victim.control.pages()).map(({ id, url }) => [id, url]);
    assert.deepEqual(seen, [[target.id, url]]);
    assert.deepEqual(await streams(), [...before, hostile.id].sort());
    assert.equal((await service.status("left")).state, "running");
    assert.equal(await service.programPid("encoder-left"), encoder);
  },
);

inSoak(attackedTest)(
  "the browser of a wall's channel plays its wall through the login, and gets nothing else of the service",
  async (service) => {
    await runningStream(service, "Left");
    const wall = { name: "Lobby", rows: 1, columns: 1, slots: [{ row: 1, column: 1, stream: "left" }] };
    assert.equal((await service.api("POST", "/api/walls", wall)).status, 201);
    await using mirror = await service.temporaryStream({ name: "Mirror", url: wallAddress("lobby") });
    const browser = new RemoteBrowser(service, mirror.id);
    await until("the wall to play", async () => {
      return await browser.evaluate<boolean>("!!document.querySelector('.is-playing')").catch(() => false);
    });
    const { PORT } = service.env;
    const others = ["127.0.0.1", "localhost", Deno.hostname()].map((host) =>
      `http://${host}:${PORT}/healthz`
    );
    const asked = ["/", "/api/streams", "/healthz", "/login", `${service.pageUrl}`, ...others];
    await using page = await browser.page();
    const got = await page.evaluate<string[]>(
      `Promise.all(${
        JSON.stringify(asked)
      }.map((url) => fetch(url).then((answer) => url + " " + answer.status, () => "")))`,
      { awaitPromise: true },
    );
    assert.deepEqual(got.filter(Boolean), ["/ 404", "/api/streams 404", "/healthz 404", "/login 404"]);
    const token = /\/t\/([^/]+)/.exec(await page.evaluate<string>("location.pathname"))![1];
    assert.ok(!commandLines().includes(token));
    const answers = ["/api/streams", `/api/streams/${mirror.id}/events`].map((path) =>
      service.api("GET", path)
    );
    for (const answer of await Promise.all(answers)) assert.ok(!(await answer.text()).includes(token));
  },
);

/** What comes to a port of this machine, by both protocols. */
async function listenForQuestions(hostname: string) {
  const heard: string[] = [];
  const tcp = Deno.listen({ hostname, port: 0 });
  const { port } = tcp.addr as Deno.NetAddr;
  const udp = await listenForDatagrams(hostname, port, () => void heard.push(`udp at ${hostname}`));
  (async () => {
    for await (const connection of tcp) {
      heard.push(`tcp at ${hostname}`);
      connection.close();
    }
  })();
  return {
    port,
    heard,
    async [Symbol.asyncDispose]() {
      tcp.close();
      await udp[Symbol.asyncDispose]();
    },
  };
}

/** Names of this machine that lead to loopback, of which the browser knows the usual ones alone. */
function loopbackNames(): string[] {
  const lines = Deno.readTextFileSync("/etc/hosts").split("\n").map((line) => line.trim().split(/\s+/));
  const listed = lines.filter(([address]) => ["127.0.0.1", "::1"].includes(address)).flatMap(([, ...names]) =>
    names
  );
  return [...new Set(["localhost", Deno.hostname(), ...listed])];
}

/** Only root sets rules of the kernel's packet filter. */
const rootTest: typeof attackedTest = Deno.uid() === 0
  ? attackedTest
  : (name) => Deno.test({ name, ignore: true, fn: () => {} });

rootTest(
  "what a page asks STUN and TURN servers reaches no port of this machine [needs root]",
  async (service) => {
    const own = Deno.networkInterfaces().filter(({ address, family }) =>
      family === "IPv4" && address !== "127.0.0.1"
    );
    const hosts = ["127.0.0.1", "::1", ...own.map(({ address }) => address)];
    const listeners = await Promise.all(hosts.map(listenForQuestions));
    try {
      const places = listeners.flatMap(({ port }, at) => {
        const host = hosts[at].includes(":") ? `[${hosts[at]}]` : hosts[at];
        const names = at < 2 ? [host, ...loopbackNames()] : [host];
        return names.map((name) => `${name}:${port}`);
      });
      const servers = places.flatMap((place) => [
        { urls: `stun:${place}` },
        ...["udp", "tcp"].map((by) => ({
          urls: `turn:${place}?transport=${by}`,
          username: "u",
          credential: "c",
        })),
      ]);
      const { id } = await runningStream(service, "Left");
      const browser = new RemoteBrowser(service, id);
      await browser.untilOnlyPage(stillPage(service));
      // the page may be opened once more meanwhile, which begins anew
      const asking = `(() => {
        if (!self.connections) {
          self.connections = ${
        JSON.stringify(servers)
      }.map((server) => new RTCPeerConnection({ iceServers: [server] }));
          for (const one of connections) {
            one.createDataChannel("x");
            one.createOffer().then((offer) => one.setLocalDescription(offer));
          }
        }
        return connections.filter((one) => one.iceGatheringState !== "complete").length;
      })()`;
      // questions by UDP to an address are asked at once, and then repeated for 40 s
      const askingOn = own.length * 2;
      await same(async () => await browser.evaluate<number>(asking) <= askingOn, true);
      assert.deepEqual(listeners.flatMap(({ heard }) => heard), []);
    } finally {
      for (const listener of listeners) await listener[Symbol.asyncDispose]();
    }
  },
);

/** All command lines that any user sees. */
function commandLines(): string {
  const pids = [...Deno.readDirSync("/proc")].map(({ name }) => name).filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => commandLine(Number(pid))).join("\n");
}

attackedTest(
  "a page's address and an encoder's key are in no command line, and in no log for everybody",
  async (service) => {
    const { id, slot } = await runningStream(service, "Left");
    await new RemoteBrowser(service, id).untilOnlyPage(stillPage(service));
    for (const text of [ADDRESS_SECRET, encoderKey(slot, id)]) assert.ok(!commandLines().includes(text));
    const folders = [join(service.dataDir, "logs"), join(service.dataDir, "logs", id)];
    const files = folders.flatMap((folder) =>
      [...Deno.readDirSync(folder)].map(({ name }) => join(folder, name))
    );
    for (const path of files) assert.equal(Deno.statSync(path).mode! & 0o007, 0, `${path} is for everybody`);
    const conf = Deno.statSync(join(service.dataDir, "config/nginx.conf"));
    assert.equal(conf.mode! & 0o007, 0, "nginx.conf is for everybody");
  },
);
