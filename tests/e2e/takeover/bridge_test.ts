/** Takeover with the real programs: a real viewer's bytes through the web app's port. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { programPids } from "../../support/faults.ts";
import { residentMiB } from "../../support/memory.ts";
import { readHead } from "../../support/raw.ts";
import { RfbViewer } from "../../support/rfb.ts";
import { sharedService, type TestService } from "../../support/service.ts";
import { enter, openSocket, takeoverStream, tokenOf, webPid } from "../../support/takeover.ts";
import { inSoak } from "../../support/soak.ts";

const serviceTest = sharedService();

/** The token of the stream that all tests share. */
async function sharedToken(service: TestService): Promise<string> {
  const { id } = await service.sharedStream(takeoverStream(service, "A"));
  const token = await tokenOf(service, id);
  const viewer = await enter(service, token); // once the display is up
  await viewer[Symbol.asyncDispose]();
  return token;
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

async function logFiles(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    texts.push(...isDirectory ? await logFiles(path) : [await Deno.readTextFile(path)]);
  }
  return texts;
}

serviceTest("upgrades from elsewhere, or without the right token, are refused", async (service) => {
  const token = await sharedToken(service);
  const { host, hostname, port, origin } = new URL(service.url);
  const good = `?token=${token}`;
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
    ["half a token", `?token=${token.slice(0, 31)}`, { origin }, 403],
    ["more than a token", `?token=${token}0`, { origin }, 403],
    ["a token in capitals", `?token=${token.toUpperCase()}`, { origin }, 403],
    ["the stream's id", "?token=a", { origin }, 403],
    ["a name of all objects", "?token=__proto__", { origin }, 403],
    ["a wrong token before the right one", `?token=x&token=${token}`, { origin }, 400],
    ["an old version", good, { origin, "sec-websocket-version": "8" }, 426],
    ["no key", good, { origin, "sec-websocket-key": null }, 400],
  ];
  const wrong: string[] = [];
  for (const [name, query, headers, status] of cases) {
    const got = await upgradeStatus(service, query, { host, ...headers });
    if (got !== status) wrong.push(`${name}: ${got}`);
  }
  assert.deepEqual(wrong, []);
});

/** A viewer that has shaken hands, and sends what it likes. */
async function rawViewer(service: TestService, token: string): Promise<Deno.TcpConn> {
  const { host, hostname, port, origin } = new URL(service.url);
  const conn = await Deno.connect({ hostname, port: Number(port) });
  await conn.write(new TextEncoder().encode(
    `GET /?token=${token} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nUpgrade: websocket\r\n` +
      "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
  ));
  assert.match(await readHead(conn), /^HTTP\/1\.1 101/);
  return conn;
}

inSoak(serviceTest)(
  "a link in the place of a display's socket leads nowhere, and no file or stranger's socket does",
  async (service) => {
    await using other = await service.temporaryStream(takeoverStream(service, "Other", "a02040"));
    await (await enter(service, await tokenOf(service, other.id)))[Symbol.asyncDispose]();
    const token = await sharedToken(service);
    const id = "a";
    const own = join(service.runDir, "vnc", id, "rfb");
    await Deno.rename(own, `${own}.kept`);
    const listener = Deno.listen({ transport: "unix", path: `${own}.mine` });
    const others: Record<string, () => Promise<void>> = {
      "a link to another stream's": () => Deno.symlink(join(service.runDir, "vnc", other.id, "rfb"), own),
      "a link to its own": () => Deno.symlink(`${own}.kept`, own),
      "a file": () => Deno.writeTextFile(own, ""),
      // as root: another's than the folder's
      ...(Deno.uid() === 0 ? { "a stranger's socket": () => Deno.rename(`${own}.mine`, own) } : {}),
    };
    try {
      for (const [what, put] of Object.entries(others)) {
        await put();
        const socket = openSocket(service, token);
        const { code } = await new Promise<CloseEvent>((done) => socket.onclose = done);
        assert.equal(code, 1011, what);
        await Deno.remove(own);
      }
    } finally {
      listener.close();
      await Deno.remove(`${own}.mine`).catch(() => {});
      await Deno.rename(`${own}.kept`, own);
    }
    await (await enter(service, token))[Symbol.asyncDispose]();
  },
);

/** A viewer's shortest frames: each is a message, or part of one, and costs the viewer some bytes. */
const SHORT_FRAMES: Record<string, number[]> = {
  "empty messages": [0x82, 0x80, 0, 0, 0, 0],
  "pings": [0x89, 0x80, 0, 0, 0, 0],
  "messages of one byte": [0x82, 0x81, 0, 0, 0, 0, 0],
};

serviceTest(
  "viewers that flood with empty frames are read slowly, and others are served",
  async (service) => {
    const token = await sharedToken(service);
    const pid = webPid(service);
    await using honest = await RfbViewer.connect(openSocket(service, token));
    await honest.refresh();
    const kinds = Object.values(SHORT_FRAMES);
    const conns = await Promise.all(kinds.map(() => rawViewer(service, token)));
    const before = residentMiB(pid);
    const written = kinds.map(() => 0);
    const floods = conns.map(async (conn, at) => {
      const unit = kinds[at];
      const many = Uint8Array.from({ length: 10_000 * unit.length }, (_, byte) => unit[byte % unit.length]);
      while (written[at] < 20_000_000) {
        const count = await conn.write(many.subarray(written[at] % many.length));
        written[at] += count;
      }
    });
    const all = Promise.allSettled(floods);
    let most = before;
    for (let round = 0; round < 20; round++) {
      await honest.refresh();
      most = Math.max(most, residentMiB(pid));
    }
    assert.ok(written.every((bytes) => bytes < 20_000_000), `all is taken: ${written}`);
    for (const conn of conns) conn.close();
    await all;
    // the honest one's pictures of 4 MB go through it; 20 MB of such frames once made 2.9 GB of it
    assert.ok(most - before < 200, `the web app grew from ${before} to ${most} MiB`);
  },
);

serviceTest("the token of a deleted stream opens nothing", async (service) => {
  const { id } = await service.create({ ...takeoverStream(service, "Deleted"), desiredState: "stopped" });
  const token = await tokenOf(service, id);
  const { origin } = new URL(service.url);
  assert.equal(await upgradeStatus(service, `?token=${token}`, { origin }), 101);
  await service.api("DELETE", `/api/streams/${id}`);
  assert.equal(await upgradeStatus(service, `?token=${token}`, { origin }), 403);
  assert.ok(!(await Deno.readTextFile(join(service.runDir, "tokens/vnc"))).includes(token));
});

serviceTest("a killed proxy is told with 1013, and comes back though somebody watched", async (service) => {
  const token = await sharedToken(service);
  const viewer = await RfbViewer.connect(openSocket(service, token));
  // its processes for viewers have the same command line, and may have smaller pids
  Deno.kill((await programPids(service)).get("vnc-proxy")!, "SIGKILL");
  const { code, reason } = await viewer.untilClosed();
  assert.equal(code, 1013);
  assert.match(reason, /proxy/);
  await (await enter(service, token))[Symbol.asyncDispose]();
});
