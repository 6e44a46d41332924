/** Takeover with the real programs: a real viewer's bytes through the web app's port. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { writeAll } from "../../../lib/system/write_all.ts";
import { FrameParser, OPCODE } from "../../../lib/websocket/frames.ts";
import { programPids } from "../../support/faults.ts";
import { residentMiB } from "../../support/memory.ts";
import { openFiles } from "../../support/proc.ts";
import { readHead } from "../../support/raw.ts";
import { RfbViewer } from "../../support/rfb.ts";
import { until } from "../../support/same.ts";
import { isHealthy, sharedService, startService, type TestService } from "../../support/service.ts";
import { pause } from "../../support/within.ts";
import { enter, openSocket, takeoverStream, tokenOf, untilColour, webPid } from "../../support/takeover.ts";
import { inSoak } from "../../support/soak.ts";

const serviceTest = sharedService();

const BLUE = 0x2040a0, RED = 0xa02020, GREEN = 0x20a040;

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

const sockets = (pid: number) => openFiles(pid).filter((file) => file.startsWith("socket:")).length;

async function logFiles(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    texts.push(...isDirectory ? await logFiles(path) : [await Deno.readTextFile(path)]);
  }
  return texts;
}

inSoak(serviceTest)(
  "a viewer sees the page, types into it, clicks, and sees what changed",
  async (service) => {
    await using viewer = await RfbViewer.connect(openSocket(service, await sharedToken(service)));
    assert.deepEqual([viewer.framebuffer.width, viewer.framebuffer.height], [1280, 720]);
    await untilColour(viewer, BLUE);
    viewer.click(200, 130);
    await until("the focus in the field", () => {
      viewer.press("v");
      return service.pageRequests.some((path) => path.startsWith("/typed/v"));
    });
    for (const key of "nc") viewer.press(key);
    await until(
      "the typed text",
      () => service.pageRequests.some((path) => /^\/typed\/v+nc$/.test(path)),
    );
    viewer.click(200, 350);
    await until("the click", () => service.pageRequests.includes("/clicked"));
    await untilColour(viewer, GREEN);
  },
);

inSoak(serviceTest)("a viewer gets what changed alone, when it asks for that", async (service) => {
  await using viewer = await RfbViewer.connect(openSocket(service, await sharedToken(service)));
  await untilColour(viewer, BLUE, GREEN);
  viewer.request(true);
  viewer.click(200, 130);
  viewer.press("x");
  const bytes = await viewer.update();
  assert.ok(bytes > 0 && bytes < 1280 * 720 * 4, `${bytes} bytes`);
});

inSoak(serviceTest)("a token opens its own stream's display, whatever the path says", async (service) => {
  const a = await sharedToken(service);
  await using stream = await service.temporaryStream(takeoverStream(service, "B", "a02020"));
  const b = await tokenOf(service, stream.id);
  assert.notEqual(a, b);
  await (await enter(service, b))[Symbol.asyncDispose]();
  for (const [token, colours] of [[a, [BLUE, GREEN]], [b, [RED]]] as const) {
    await using viewer = await RfbViewer.connect(openSocket(service, token, "/vnc/b/websockify"));
    await untilColour(viewer, ...colours);
  }
});

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

/** Bytes that a viewer may make the web app hold. */
const MAX_OF_VIEWER_MIB = 4;
const VIEWERS = 7;

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

/** The header of a viewer's frame: of a length in eight bytes, with a mask of zeros. */
function frameHeader(opcode: number, length: number, isFinal: boolean): Uint8Array {
  const header = new Uint8Array(14);
  header[0] = (isFinal ? 0x80 : 0) | opcode;
  header[1] = 0xff;
  new DataView(header.buffer).setBigUint64(2, BigInt(length));
  return header;
}

const PART = new Uint8Array(1_000_000);

/** What a viewer sends after its handshake, in pieces. */
const ATTACKS: Record<string, () => Generator<Uint8Array>> = {
  *"a frame of 60 MB"() {
    yield frameHeader(2, 60 * PART.length, true);
    for (let count = 0; count < 60; count++) yield PART;
  },
  *"a message of 60 frames of 1 MB"() {
    for (let count = 0; count < 60; count++) {
      yield frameHeader(count === 0 ? 2 : 0, PART.length, count === 59);
      yield PART;
    }
  },
  *"a message of 600 frames of 100 kB"() {
    for (let count = 0; count < 600; count++) {
      yield frameHeader(count === 0 ? 2 : 0, 100_000, false);
      yield PART.subarray(0, 100_000);
    }
  },
  *"240 messages of 250 kB"() {
    for (let count = 0; count < 240; count++) {
      yield frameHeader(2, 250_000, true);
      yield PART.subarray(0, 250_000);
    }
  },
};

inSoak(serviceTest)(
  "viewers that send 60 MB each make the web app hold 4 MiB each at most",
  async (service) => {
    const limit = VIEWERS * MAX_OF_VIEWER_MIB;
    const grown: number[] = [];
    // What the web app holds is there each time. What its garbage collector has yet to free comes and goes: up to 30 MiB
    // of messages that have been passed on, in one web app of four.
    while (grown.length < 3 && !grown.some((mib) => mib < limit)) {
      if (grown.length > 0) await replaceWebApp(service);
      grown.push(await growthByViewers(service));
      console.log(`    the web app grew by ${Math.round(grown.at(-1)!)} of ${limit} MiB`);
    }
    assert.ok(grown.some((mib) => mib < limit), `web apps grew by ${grown} MiB`);
  },
);

/** Has the web app start anew. */
async function replaceWebApp(service: TestService): Promise<void> {
  const before = webPid(service);
  Deno.kill(before, "SIGKILL");
  const isNew = () => service.processes(/browser-stream\S* serve$/).some((pid) => pid !== before);
  await until("a new web app", async () => isNew() && await isHealthy(service.url));
}

/** MiB by which viewers make the web app grow at most, beside one who is honest. */
async function growthByViewers(service: TestService): Promise<number> {
  const token = await sharedToken(service);
  const pid = webPid(service);
  await using honest = await RfbViewer.connect(openSocket(service, token));
  await honest.refresh();
  const kinds = Object.values(ATTACKS);
  let most = 0;
  const attack = async (count: number) => {
    const conns = await Promise.all(Array.from({ length: count }, () => rawViewer(service, token)));
    const ends = conns.map(async (conn, at) => {
      const heard = hear(conn);
      for (const bytes of kinds[at % kinds.length]()) {
        // how much is taken until we are sent away is not ours to say
        if (!await writeAll(conn, bytes).then(() => true, () => false)) break;
      }
      return await heard;
    });
    const all = Promise.all(ends);
    let isOver = false;
    void all.finally(() => isOver = true);
    for (const limit = Date.now() + 30_000; !isOver && Date.now() < limit;) {
      most = Math.max(most, residentMiB(pid));
      await pause(5);
    }
    for (const conn of conns) conn.close();
    assert.ok(isOver, `they are let go on for 30 s; the web app has grown to ${most} MiB`);
    for (const [at, code] of (await all).entries()) {
      // the last one's messages are short enough: it is the display that does not understand them
      if (at % kinds.length < 3) assert.equal(code, 1009, Object.keys(ATTACKS)[at % kinds.length]);
    }
  };
  // what the web app loads, and takes of its heap, for the first viewers is nobody's
  await attack(kinds.length);
  const before = residentMiB(pid);
  most = before;
  await attack(VIEWERS);
  assert.equal(honest.socket.readyState, WebSocket.OPEN);
  await honest.refresh();
  return most - before;
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

/** Reads until the end; the code of the close frame that came last, 1006 without. */
async function hear(conn: Deno.Conn): Promise<number> {
  const parser = new FrameParser({ isMasked: false, opcode: OPCODE.binary, mostBytes: 64 * 1024 * 1024 });
  const buffer = new Uint8Array(65_536);
  let code = 1006;
  try {
    for (let count = await conn.read(buffer); count !== null; count = await conn.read(buffer)) {
      for (const arrival of parser.push(buffer.subarray(0, count))) {
        if (arrival.kind === "close") code = arrival.close.code;
      }
    }
  } catch {
    // reset, with what we had still to send
  }
  return code;
}

/** The front door keeps its connections to the web app for a minute; of 50 that leak, these are few. */
const KEPT_CONNECTIONS = 8;

inSoak(serviceTest)("50 connects and disconnects leave no socket and no process", async (service) => {
  const token = await sharedToken(service);
  const pid = webPid(service);
  const proxies = () => service.processes(/websockify/).length;
  await until("the earlier viewers to be gone", () => proxies() === 1);
  // those to DevTools and the supervisor come and go: the most of 2 s
  let before = 0;
  for (const end = Date.now() + 2000; Date.now() < end; await pause(50)) {
    before = Math.max(before, sockets(pid));
  }
  for (let round = 0; round < 50; round++) {
    const viewer = await RfbViewer.connect(openSocket(service, token));
    if (round % 3 === 0) viewer.request(false); // leave in the middle of an update
    await viewer[Symbol.asyncDispose]();
  }
  await until("the proxy's children to end", () => proxies() === 1);
  const most = before + KEPT_CONNECTIONS;
  await until(`the sockets to go back to ${before}`, () => sockets(pid) <= most);
});

inSoak(serviceTest)(
  "a display that ends takes its viewers with it; one that is not there is 1011",
  async (service) => {
    await using stream = await service.temporaryStream(takeoverStream(service, "Ends"));
    const token = await tokenOf(service, stream.id);
    const viewer = await enter(service, token);
    await service.api("POST", `/api/streams/${stream.id}/stop`);
    await viewer.untilClosed();
    const socket = openSocket(service, token);
    socket.onerror = (event) => event.preventDefault();
    const { code } = await new Promise<CloseEvent>((done) => socket.onclose = done);
    assert.equal(code, 1011);
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

inSoak(Deno.test)(
  "the end of the service sends viewers away at once, though its supervisor hangs; no log has a token",
  async () => {
    const dataDir = await Deno.makeTempDir({ prefix: "bs-data-" });
    await Deno.chmod(dataDir, 0o755);
    const service = await startService({ dataDir });
    let stopping: Promise<number> | undefined;
    try {
      const { id } = await service.create(takeoverStream(service, "A"));
      const token = await tokenOf(service, id);
      const viewer = await enter(service, token);
      const output = service.output();
      Deno.kill(service.processes(/supervisord -n/)[0], "SIGSTOP");
      stopping = service.stop();
      assert.equal((await viewer.untilClosed()).code, 1001);
      await stopping;
      for (const text of [output, ...await logFiles(join(dataDir, "logs"))]) {
        assert.ok(!text.toLowerCase().includes(token), "a token in a log");
      }
    } finally {
      // waited for after a failure, too: what still writes there would be told of instead of it
      await (stopping ?? service.stop()).finally(() => Deno.remove(dataDir, { recursive: true }));
    }
  },
);
