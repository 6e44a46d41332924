import { strict as assert } from "node:assert";
import { join } from "node:path";
import { attackLogin } from "../../support/attack_login.ts";
import { listenForDatagrams } from "../../support/datagrams.ts";
import { isThere } from "../../support/fixture.ts";
import { serveHostile } from "../../support/hostile_pages.ts";
import { commandLine } from "../../support/proc.ts";
import { WALL_HOST, wallAddress } from "../../../lib/net/wall_address.ts";
import { readOrNull } from "../../../lib/os/files.ts";
import { RemoteBrowser } from "../../support/remote_browser.ts";
import { same, until } from "../../support/same.ts";
import { sharedService } from "../../support/service.ts";
import { inSoak } from "../../support/soak.ts";

// without the browser's policies, which are another wall
const serviceTest = sharedService({ env: attackLogin() });

/** This machine's, beside 127.0.0.1. */
const NOTATIONS = [
  ...["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0.0.0.0", "0", "localhost", "x.localhost"],
  ...["[::1]", "[::ffff:7f00:1]", Deno.hostname()],
  ...Deno.networkInterfaces().map(({ address }) => address).filter((one) => /^[\d.]+$/.test(one)),
];

serviceTest(
  "a hostile page reads and changes nothing of the service and the other streams",
  async (service) => {
    await using pages = serveHostile();
    await using canary = serveHostile();
    await service.sharedStream({ name: "Victim" });
    const victim = new RemoteBrowser(service, "victim");
    await victim.untilOnlyPage(service.pageUrl);
    const [target] = await victim.control.pages();
    const { VNC_PROXY_PORT, RTMP_PORT, PORT, MEDIA_PORT } = service.env;
    const http = [
      `http://127.0.0.1:${VNC_PROXY_PORT}/vnc_lite.html`,
      `http://127.0.0.1:${RTMP_PORT}/live/victim`,
      `http://127.0.0.1:${PORT}/api/streams`,
      `http://127.0.0.1:${PORT}/api/streams/victim/stop`,
      ...["/login", "/t/x/playlist.m3u", "/playlist.m3u"].map((path) => `http://127.0.0.1:${PORT}${path}`),
      `http://127.0.0.1:${PORT}/api/streams/victim/home`,
      `http://127.0.0.1:${MEDIA_PORT}/live/victim/index.m3u8`,
      ...NOTATIONS.map((host) => `http://${host}:${PORT}/api/config`),
      `http://${WALL_HOST}:${PORT}/wall`,
      ...NOTATIONS.map((host) => `http://${host}:${new URL(canary.url).port}/canary`),
    ];
    const ws = [
      `ws://127.0.0.1:${VNC_PROXY_PORT}/websockify?token=victim`,
      `ws://127.0.0.1:${VNC_PROXY_PORT}/`,
      `ws://127.0.0.1:${PORT}/websockify?token=victim`,
    ];
    const encoder = await service.programPid("encoder-victim");
    const targets = encodeURIComponent(JSON.stringify({ http, ws }));
    await service.create({ name: "Hostile", url: `${pages.url}hostile?targets=${targets}` });
    await until("the hostile page's report", () => pages.reports.length > 0);
    const [results] = pages.reports;
    assert.ok(results.length >= http.length * 8 + ws.length, `only ${results.length} tries`);
    const readable = results.filter(({ got }) => got !== "" && got !== "opened");
    assert.deepEqual(readable, []);
    assert.deepEqual(results.filter(({ got }) => got === "opened").map(({ what }) => what), []);
    assert.deepEqual(canary.requests, [], "a request got out, though nobody could read the answer");

    const seen = (await victim.control.pages()).map(({ id, url }) => [id, url]);
    assert.deepEqual(seen, [[target.id, service.pageUrl]]);
    const streams: { id: string }[] = await (await service.api("GET", "/api/streams")).json();
    assert.deepEqual(streams.map(({ id }) => id).sort(), ["hostile", "victim"]);
    assert.equal((await service.status("victim")).state, "running");
    assert.equal(await service.programPid("encoder-victim"), encoder);
  },
);

inSoak(serviceTest)(
  "the browser of a wall's channel plays its wall through the login, and gets nothing else of the service",
  async (service) => {
    await service.sharedStream({ name: "Victim" });
    const wall = { name: "Lobby", rows: 1, columns: 1, slots: [{ row: 1, column: 1, stream: "victim" }] };
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
    await using page = await browser.control.connectFirst();
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
const rootTest: typeof serviceTest = Deno.uid() === 0
  ? serviceTest
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
      await using stream = await service.temporaryStream({ name: "Asking" });
      const browser = new RemoteBrowser(service, stream.id);
      await browser.untilOnlyPage(service.pageUrl);
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

serviceTest(
  "a page's address and an encoder's key are in no command line, and in no log for everybody",
  async (service) => {
    const secret = crypto.randomUUID();
    const url = `${service.pageUrl}takeover.html?key=${secret}`;
    await using stream = await service.temporaryStream({ name: "Secret", url, audio: false, fps: 5 });
    await new RemoteBrowser(service, stream.id).untilOnlyPage(url);
    await service.untilState(stream.id, "running");
    const homes = [...Deno.readDirSync(join(service.runDir, "slots"))].map(({ name }) =>
      join(service.runDir, "slots", name, "home")
    );
    const presets = homes.map((home) => readOrNull(join(home, `${stream.id}.ffpreset`)));
    const key = /key=(\S+)/.exec((await Promise.all(presets)).join(""))![1];
    for (const text of [secret, key]) assert.ok(!commandLines().includes(text));
    const folders = [join(service.dataDir, "logs"), join(service.dataDir, "logs", stream.id)];
    const files = folders.flatMap((folder) =>
      [...Deno.readDirSync(folder)].map(({ name }) => join(folder, name))
    );
    for (const path of files) assert.equal(Deno.statSync(path).mode! & 0o007, 0, `${path} is for everybody`);
    const conf = Deno.statSync(join(service.dataDir, "config/nginx.conf"));
    assert.equal(conf.mode! & 0o007, 0, "nginx.conf is for everybody");

    // another program of this machine publishes: without a key, and with one of another channel
    const publish = async (playpath: string) => {
      const picture = ["-f", "lavfi", "-i", "testsrc=s=64x64:r=5", "-t", "2", "-c:v", "libx264", "-f", "flv"];
      const args = ["-loglevel", "error", "-re", ...picture, "-rtmp_playpath", playpath];
      const rtmp = `rtmp://127.0.0.1:${service.env.RTMP_PORT}/live`;
      const output = { stdout: "null", stderr: "null" } as const;
      return (await new Deno.Command("ffmpeg", { args: [...args, rtmp], ...output }).output()).success;
    };
    for (const playpath of ["guest", `guest?key=${key}`, `${stream.id}`, `${stream.id}?key=x`]) {
      assert.equal(await publish(playpath), false, playpath);
    }
    assert.ok(!await isThere(join(service.runDir, "hls/live/guest")));
  },
);
