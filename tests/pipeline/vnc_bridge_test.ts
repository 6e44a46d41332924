/** Takeover with the real programs: a real viewer's bytes through the web app's port. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { WsClient } from "../../lib/vnc/ws_client.ts";
import { residentMiB } from "../support/memory.ts";
import { servePages } from "../support/page.ts";
import { RfbViewer } from "../support/rfb.ts";
import { makeDataDir, pause, startService, type TestService, until } from "../support/service.ts";

const BLUE = 0x2040a0, RED = 0xa02020, GREEN = 0x20a040;

async function tokenOf(service: TestService, id: string): Promise<string> {
  const response = await service.api("GET", `/api/streams/${id}/vnc`);
  assert.equal(response.headers.get("cache-control"), "no-store");
  return (await response.json()).token;
}

function openSocket(service: TestService, token: string, path = "/websockify"): WebSocket {
  const options = { headers: { origin: service.url } };
  // Deno takes headers, which the types of the DOM do not know
  return new WebSocket(
    `${service.url.replace("http", "ws")}${path}?token=${token}`,
    options as unknown as string[],
  );
}

/** The status an upgrade gets; 101 is let in. @param headers more lines of the request, or another Origin. */
async function upgradeStatus(
  service: TestService,
  query: string,
  headers: Record<string, string | null>,
): Promise<number> {
  const { host, hostname, port } = new URL(service.url);
  using conn = await Deno.connect({ hostname, port: Number(port) });
  const all: Record<string, string | null> = {
    host,
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-version": "13",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    ...headers,
  };
  const lines = Object.entries(all).filter(([, value]) => value !== null).map(([name, value]) =>
    `${name}: ${value}`
  );
  await conn.write(new TextEncoder().encode(`GET /${query} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`));
  const answer = new Uint8Array(4096);
  const count = await conn.read(answer) ?? 0;
  return Number(/^HTTP\/1\.1 (\d+)/.exec(new TextDecoder().decode(answer.subarray(0, count)))?.[1]);
}

/** Waits until a place of the picture has a colour. */
async function untilColour(viewer: RfbViewer, colour: number): Promise<void> {
  await until(`the colour ${colour.toString(16)}`, 40_000, async () => {
    await viewer.look();
    return viewer.colour(1000, 600) === colour;
  });
}

function webPid(service: TestService): number {
  const [pid] = service.processes(/browser-stream\S* serve /);
  assert.ok(pid, "the web app does not run");
  return pid;
}

function sockets(pid: number): number {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].filter(({ name }) => {
    try {
      return Deno.readLinkSync(`/proc/${pid}/fd/${name}`).startsWith("socket:");
    } catch {
      return false; // closed meanwhile
    }
  }).length;
}

async function logFiles(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    texts.push(...isDirectory ? await logFiles(path) : [await Deno.readTextFile(path)]);
  }
  return texts;
}

Deno.test("an operator is in a stream's browser, and nobody else is", async (t) => {
  await using pages = servePages();
  const dataDir = await makeDataDir();
  const service = await startService({ dataDir });
  let isStopped = false;
  try {
    const small = { audio: false, fps: 5, resolution: "1280x720", scale: "640x360" };
    await service.create({ name: "A", url: `${pages.url}takeover.html`, ...small });
    await service.create({ name: "B", url: `${pages.url}takeover.html#a02020`, ...small });
    const [a, b] = [await tokenOf(service, "a"), await tokenOf(service, "b")];
    assert.match(a, /^[0-9a-f]{32}$/);
    assert.notEqual(a, b);

    await t.step("sees the page, types into it, clicks, and sees what changed", async () => {
      await using viewer = await RfbViewer.connect(openSocket(service, a));
      assert.deepEqual([viewer.picture.width, viewer.picture.height], [1280, 720]);
      await untilColour(viewer, BLUE);
      viewer.click(200, 130);
      await pause(500);
      for (const key of "vnc") viewer.press(key);
      await until("the typed text", 20_000, () => pages.requests.includes("/typed/vnc"));
      viewer.click(200, 350);
      await until("the click", 20_000, () => pages.requests.includes("/clicked"));
      await untilColour(viewer, GREEN);
      viewer.request(true);
      viewer.click(200, 130);
      viewer.press("x");
      assert.ok(await viewer.update() > 0, "an update of what changed");
    });

    await t.step("a token opens its own stream's display, whatever the path says", async () => {
      for (const [token, colour] of [[a, GREEN], [b, RED]] as const) {
        await using viewer = await RfbViewer.connect(openSocket(service, token, "/vnc/b/websockify"));
        await untilColour(viewer, colour);
      }
    });

    await t.step("upgrades from elsewhere, or without the right token, are refused with 403", async () => {
      const { host, hostname, port, origin } = new URL(service.url);
      const good = `?token=${a}`;
      const cases: [string, string, Record<string, string | null>, number][] = [
        ["our own page", good, { origin }, 101],
        ["evil Origin", good, { origin: "http://evil.example" }, 403],
        ["an Origin that begins like ours", good, { origin: `${origin}.evil.example` }, 403],
        ["null Origin", good, { origin: "null" }, 403],
        ["empty Origin", good, { origin: "" }, 403],
        ["missing Origin", good, {}, 403],
        ["a sibling port", good, { origin: `http://${hostname}:${Number(port) - 1}` }, 403],
        ["another name of the machine", good, { origin: `http://localhost:${port}` }, 403],
        ["evil Origin and no token", "", { origin: "http://evil.example" }, 403],
        ["no token", "", { origin }, 403],
        ["an empty token", "?token=", { origin }, 403],
        ["a wrong token", `?token=${"0".repeat(32)}`, { origin }, 403],
        ["half a token", `?token=${a.slice(0, 31)}`, { origin }, 403],
        ["more than a token", `?token=${a}0`, { origin }, 403],
        ["a token in capitals", `?token=${a.toUpperCase()}`, { origin }, 403],
        ["the stream's id", "?token=a", { origin }, 403],
        ["a name of all objects", "?token=__proto__", { origin }, 403],
        ["a wrong token before the right one", `?token=x&token=${a}`, { origin }, 403],
        ["an old version", good, { origin, "sec-websocket-version": "8" }, 426],
        ["no key", good, { origin, "sec-websocket-key": null }, 400],
      ];
      for (const [name, query, headers, status] of cases) {
        const got = await upgradeStatus(service, query, { host, ...headers });
        assert.equal(got, status, name);
      }
    });

    await t.step("the token is for our own pages only", async () => {
      const cases: [Record<string, string>, number][] = [
        [{}, 200],
        [{ "sec-fetch-site": "same-origin" }, 200],
        [{ origin: service.url }, 200],
        [{ "sec-fetch-site": "cross-site" }, 403],
        [{ "sec-fetch-site": "same-site" }, 403],
        [{ "sec-fetch-site": "none" }, 403],
        [{ origin: "http://evil.example" }, 403],
        [{ origin: "null" }, 403],
      ];
      for (const [headers, status] of cases) {
        const response = await fetch(`${service.url}/api/streams/a/vnc`, { headers });
        assert.equal(response.status, status, JSON.stringify(headers));
        assert.equal((await response.text()).includes(a), status === 200);
      }
      const unknown = await service.api("GET", "/api/streams/nobody/vnc");
      assert.equal(unknown.status, 404);
      await unknown.body?.cancel();
      for (const path of ["/", "/api/streams", "/api/streams/a", "/api/streams/export", "/streams/a/log"]) {
        const text = await (await service.api("GET", path)).text();
        assert.ok(!text.includes(a), `the token stands in ${path}`);
      }
      assert.equal((await Deno.stat(join(service.runDir, "tokens"))).mode! & 0o777, 0o600);
    });

    await t.step("50 connects and disconnects leave no socket and no process", async () => {
      const pid = webPid(service);
      const proxies = () => service.processes(/websockify/).length;
      await until("the earlier viewers to be gone", 15_000, () => proxies() === 1);
      await pause(2000);
      const before = sockets(pid);
      for (let round = 0; round < 50; round++) {
        const viewer = await RfbViewer.connect(openSocket(service, a));
        if (round % 3 === 0) viewer.request(false); // leave in the middle of an update
        await viewer[Symbol.asyncDispose]();
      }
      await until("the proxy's children to end", 20_000, () => proxies() === 1);
      await until(`the sockets to go back to ${before}`, 20_000, () => sockets(pid) <= before);
    });

    await t.step(
      "a viewer that stops reading while it asks for more does not grow memory; an idle one stays",
      async () => {
        await using idle = await RfbViewer.connect(openSocket(service, a));
        const { host, port } = new URL(service.url);
        const pid = webPid(service);
        const viewer = await WsClient.connect({
          port: Number(port),
          path: `/?token=${b}`,
          host: `${host}\r\nOrigin: ${service.url}`, // the client has no use for other headers
        });
        let isGone = false;
        const send = (...bytes: number[]) =>
          viewer.send(new Uint8Array(bytes)).catch(() => {
            isGone = true;
          });
        await send(...new TextEncoder().encode("RFB 003.008\n"));
        await send(1);
        await send(1);
        await send(2, 0, 0, 1, 0, 0, 0, 0);
        const askAll = () => send(3, 0, 0, 0, 0, 0, 5, 0, 2, 208); // 1280x720
        for (let count = 0; count < 20; count++) await askAll();
        await pause(5000);
        const before = residentMiB(pid);
        let most = before, proxyMost = 0;
        const start = Date.now();
        while (Date.now() - start < 55_000) {
          if (!isGone) await askAll();
          await pause(250);
          most = Math.max(most, residentMiB(pid));
          proxyMost = Math.max(proxyMost, ...service.processes(/websockify/).map(residentMiB));
        }
        console.log(
          `    web app +${Math.round(most - before)} MiB, VNC proxy ${Math.round(proxyMost)} MiB`,
        );
        assert.ok(most - before < 23, `the web app grew from ${before} to ${most} MiB`);
        assert.ok(most > 0, "the web app is gone");
        assert.ok(proxyMost < 190, `the VNC proxy grew to ${proxyMost} MiB`);
        assert.equal(idle.socket.readyState, WebSocket.OPEN, "the idle viewer was sent away");
        await idle.look();
        assert.equal(service.processes(/websockify/).length, 2, "only the idle one has a bridge");
        await viewer.close({ code: 1000, reason: "" });
      },
    );

    await t.step("a killed proxy is told with 1013, and comes back though somebody watched", async () => {
      const viewer = await RfbViewer.connect(openSocket(service, a));
      const closed = viewer.closed.then(({ code, reason }) => ({ code, reason }));
      Deno.kill(Math.min(...service.processes(/websockify/)), "SIGKILL");
      assert.equal((await closed).code, 1013);
      assert.match((await closed).reason, /proxy/);
      await until("the proxy to be back", 30_000, async () => {
        const again = await RfbViewer.connect(openSocket(service, a)).catch(() => null);
        await again?.[Symbol.asyncDispose]();
        return again;
      });
    });

    await t.step("a display that ends takes its viewers with it; one that is not there is 1011", async () => {
      const viewer = await RfbViewer.connect(openSocket(service, b));
      await (await service.api("POST", "/api/streams/b/stop")).body?.cancel();
      await viewer.closed;
      const socket = openSocket(service, b);
      socket.onerror = (event) => event.preventDefault();
      const { code } = await new Promise<CloseEvent>((done) => socket.onclose = done);
      assert.equal(code, 1011);
    });

    await t.step("the token of a deleted stream opens nothing", async () => {
      const { origin } = new URL(service.url);
      assert.equal(await upgradeStatus(service, `?token=${b}`, { origin }), 101);
      await service.api("DELETE", "/api/streams/b");
      assert.equal(await upgradeStatus(service, `?token=${b}`, { origin }), 403);
      assert.ok(!(await Deno.readTextFile(join(service.runDir, "tokens"))).includes(b));
    });

    await t.step("the end of the service sends viewers away at once; no log has a token", async () => {
      const viewer = await RfbViewer.connect(openSocket(service, a));
      const stopping = service.stop();
      isStopped = true;
      assert.equal((await viewer.closed).code, 1001);
      await stopping;
      for (const text of [service.output(), ...await logFiles(join(dataDir, "logs"))]) {
        for (const token of [a, b, a.toUpperCase()]) assert.ok(!text.includes(token), "a token in a log");
      }
    });

    await t.step("after a restart of the service the old token is worth nothing", async () => {
      const again = await startService({ dataDir });
      try {
        assert.equal(await upgradeStatus(again, `?token=${a}`, { origin: again.url }), 403);
        assert.notEqual(await tokenOf(again, "a"), a);
      } finally {
        await again.stop();
      }
    });
  } finally {
    if (!isStopped) await service.stop();
    await Deno.remove(dataDir, { recursive: true });
  }
});
