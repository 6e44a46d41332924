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
