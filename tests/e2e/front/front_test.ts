/** The front door with the real nginx: deadlines, caps, and what reaches the web app. */
import { strict as assert } from "node:assert";
import { connectionOwner } from "../../../lib/machine/os/ports.ts";
import { run } from "../../../lib/machine/os/process.ts";
import { commandAs, numberedUser } from "../../../lib/machine/os/users.ts";
import { testApp } from "../../support/app.ts";
import { launchBrowser, openPage } from "../../support/browser.ts";
import { FeedListener } from "../../support/feed_listener.ts";
import { type Front, rawExchange, startFront } from "../../support/front.ts";
import { needsRoot } from "../../support/needs_root.ts";
import { readHead } from "../../support/raw.ts";
import { inSoak } from "../../support/soak.ts";
import { until } from "../../support/same.ts";
import { tellTime } from "../../support/times.ts";

const TIMINGS = '{"requestMs":1000}';

/** What a slow mobile connection gives, in bytes per second, and the time until its first answer. */
const SLOW = { downloadThroughput: 50_000, uploadThroughput: 50_000, latency: 100, offline: false };
/** 1.7 s at 400 kbit/s; how long it takes there is printed, and depends on the machine. */
const USABLE_BYTES = 86_000;
const FIRST_HTML_BYTES = 60_000;
const ASKED_WHEN_READY = /^\/api\/(?:events|system|streams\/\w+)$|sortable/;

/** In the page: types into the filter as soon as it is there, and notes when only what it finds is left (ms since the request). */
function filterWhenReady(text: string): void {
  const look = () => {
    if (!document.querySelector("main[data-ready=true]")) return;
    const field = document.querySelector<HTMLInputElement>("#filter")!;
    if (field.value === "") {
      field.value = text;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    if (document.querySelectorAll(".card").length !== 1) return;
    observer.disconnect();
    Object.assign(globalThis, { foundAt: performance.now() });
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { subtree: true, childList: true, attributes: true });
}

/** Answers with what arrived. */
async function echo(request: Request, { remoteAddr }: Deno.ServeHandlerInfo): Promise<Response> {
  const { method, url, headers } = request;
  const body = await request.text().catch(() => null);
  if (body === null) return new Response("broken", { status: 400 });
  const peer = "hostname" in remoteAddr ? remoteAddr.hostname : "";
  return Response.json({ method, url, peer, body, host: headers.get("host") });
}

function frontTest(name: string, test: (front: Front) => Promise<void>, env: Record<string, string> = {}) {
  Deno.test(`front door: ${name}`, async () => {
    await using front = await startFront(echo, { TIMINGS, ...env });
    await test(front);
  });
}

const get = (front: Front, path = "/x", also = "") =>
  rawExchange(
    front.port,
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${front.port}\r\n${also}Connection: close\r\n\r\n`,
  );

const HALVES = ["", "G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "];

frontTest("400 half-sent requests are closed soon, and others are answered meanwhile", async (front) => {
  const conns: Deno.Conn[] = [];
  let closed = 0;
  const drain = async (conn: Deno.Conn) => {
    const buffer = new Uint8Array(1024);
    while (await conn.read(buffer).catch(() => null) !== null);
    conn.close();
    closed++;
  };
  for (let at = 0; at < 400; at++) {
    const conn = await Deno.connect({ hostname: "127.0.0.1", port: front.port });
    await conn.write(new TextEncoder().encode(HALVES[at % HALVES.length]));
    conns.push(conn);
  }
  const done = conns.map(drain);
  const start = performance.now();
  assert.match(await get(front), /^HTTP\/1\.1 200/);
  tellTime("an answer beside 400 half-sent requests", (performance.now() - start) / 1000, 1.5);
  assert.ok(closed < 400, "others were answered only when these were closed");
  await until("the half-sent to be closed", () => closed === 400);
  await Promise.all(done);
}, { TIMINGS: '{"requestMs":3000}' });

frontTest("a body that does not come is given up", async (front) => {
  const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nabc`;
  assert.doesNotMatch(await rawExchange(front.port, head), /still open/);
});

/** What curl gets, from one of the machine's addresses. */
async function curl(url: string, from: string): Promise<string> {
  const args = ["-s", "--interface", from, "--max-time", "3", `${url}/x`];
  return new TextDecoder().decode((await new Deno.Command("curl", { args }).output()).stdout);
}

frontTest(
  "this machine has so many connections by all of its loopback, and another client is served",
  async (front) => {
    const [other] = Deno.networkInterfaces().filter(({ family, address }) =>
      family === "IPv4" && !address.startsWith("127.")
    );
    const conns = await Promise.all(
      Array.from({ length: 12 }, () => Deno.connect({ hostname: "127.0.0.1", port: front.port })),
    );
    try {
      for (const from of ["127.0.0.1", "127.0.0.2", "127.255.0.1"]) {
        assert.equal(await curl(front.url, from), "", from);
      }
      assert.equal(await curl(`http://[::1]:${front.port}`, "::1"), "");
      if (other) {
        const { address } = other;
        assert.match(
          await curl(`http://${address}:${front.port}`, address),
          new RegExp(`"peer":"[^"]*${address}"`),
        );
      }
    } finally {
      for (const conn of conns) conn.close();
    }
  },
  { HOST: "::", MAX_CONNECTIONS: "10", TIMINGS: '{"requestMs":5000}' },
);

for (const [host, other] of [["127.0.0.1", "::1"], ["0.0.0.0", "::"]]) {
  const hasIpv6 = Deno.networkInterfaces().some(({ address }) => address === "::1");
  const reason = hasIpv6 ? "" : " [needs IPv6]";
  Deno.test({
    name: `front door: whoever comes later cannot take its port in the other family, of ${host}${reason}`,
    ignore: !hasIpv6,
    fn: async () => {
      await using front = await startFront(echo, { TIMINGS, HOST: host });
      assert.throws(() => Deno.listen({ hostname: other, port: front.port }), Deno.errors.AddrInUse);
      assert.match(await curl(`http://[::1]:${front.port}`, "::1"), /"peer":"::1"/);
      assert.match(await curl(`http://127.0.0.1:${front.port}`, "127.0.0.1"), /"peer":"127.0.0.1"/);
    },
  });
}

frontTest("a reverse proxy's connections are not counted", async (front) => {
  const conns = await Promise.all(
    Array.from({ length: 12 }, () => Deno.connect({ hostname: "127.0.0.1", port: front.port })),
  );
  assert.match(await get(front), /^HTTP\/1\.1 200/);
  for (const conn of conns) conn.close();
}, { MAX_CONNECTIONS: "10", TRUSTED_PROXIES: "10.0.0.0/8,127.0.0.1", TIMINGS: '{"requestMs":5000}' });

frontTest("the client's address is the connection's, whatever a header says", async (front) => {
  const forged = "X-Front-Peer: 10.0.0.5\r\nX-Front-Peer: 10.0.0.6\r\nX-Real-IP: 1.2.3.4\r\n";
  assert.match(await get(front, "/x", forged), /"peer":"127\.0\.0\.1"/);
});

const ASKS = `
import sys, urllib.request
forged = {"X-Front-Peer": "10.0.0.5", "X-Front-Peer-Port": "1"}
print(urllib.request.urlopen(urllib.request.Request(sys.argv[1], headers=forged)).read().decode())`;

needsRoot(
  "which user of this machine asks is seen behind the front door, whatever a header says",
  async () => {
    let port = 0;
    await using front = await startFront(async (_request, { remoteAddr }) => {
      const peer = remoteAddr as Deno.NetAddr;
      return new Response(String(await connectionOwner(peer.hostname, peer.port, port)));
    });
    port = front.port;
    for (const uid of [0, 60_600, 65_534]) {
      const argv = commandAs(numberedUser(uid), ["/usr/bin/python3", "-c", ASKS, front.url]);
      assert.equal((await run(argv, { timeoutMs: 20_000, cwd: "/" })).stdout, `${uid}\n`);
    }
  },
);

frontTest("paths reach the web app as they were sent", async (front) => {
  for (
    const path of ["/a/%2e%2e/b", "//a//b", "/a%252e", "/a%20b?x=%2f", "/a;b", "/api/hls/..%2fx", "/%E4"]
  ) {
    assert.ok((await get(front, path)).includes(`"url":"http://127.0.0.1:${front.port}${path}"`), path);
  }
});

const HOST = "Host: 127.0.0.1\r\n";

frontTest(
  "what is no HTTP gets a 400 with the headers of every answer, and no line in the log",
  async (front) => {
    const broken: Record<string, string> = {
      "a Host with a blank": "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
      "a Host with a quote on the health check": 'GET /healthz HTTP/1.1\r\nHost: evil"x\r\nHost: b\r\n\r\n',
      "no Host": "GET / HTTP/1.1\r\n\r\n",
      "no Host in HTTP/1.0": "GET /healthz HTTP/1.0\r\n\r\n",
      // its connection would go on
      "a control character in a header": `GET / HTTP/1.1\r\n${HOST}Connection: close\r\nX: \x01\r\n\r\n`,
      "a NUL in the path": `GET /\0 HTTP/1.1\r\n${HOST}\r\n`,
      "a NUL in a header": `GET / HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`,
      "a path above the root": `GET /../x HTTP/1.1\r\n${HOST}\r\n`,
      "no protocol of ours": `GET / HTTP/9.9\r\n${HOST}\r\n`,
      "a TLS hello": "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
      "a method in lower case": `get / HTTP/1.1\r\n${HOST}\r\n`,
      "two lengths": `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\na`,
      "a length that is none": `POST / HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`,
      "a length and chunks":
        `POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      "chunks without an end":
        `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nZZ\r\nabc\r\n0\r\n\r\n`,
      "a chunk longer than it says":
        `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n2\r\nabcdef\r\n0\r\n\r\n`,
      "headers too large": `GET / HTTP/1.1\r\n${HOST}X: ${"x".repeat(40_000)}\r\n\r\n`,
      "an address too long": `GET /${"x".repeat(40_000)} HTTP/1.1\r\n${HOST}\r\n`,
    };
    for (const [what, text] of Object.entries(broken)) {
      const answer = await rawExchange(front.port, text);
      assert.match(answer, /^HTTP\/1\.1 (?:400|414|505) /, `${what}: ${answer.slice(0, 300)}`);
      assert.match(answer, /content-security-policy: default-src 'none'/i, what);
      assert.match(answer, /x-content-type-options: nosniff/i, what);
    }
    assert.equal(await front.output(), "");
  },
);

frontTest("without the web app there is a 503 that says when to try again", async (front) => {
  await front.stopWebApp();
  const answer = await get(front);
  assert.match(answer, /^HTTP\/1\.1 503 /);
  assert.match(answer, /retry-after: 1\r\n/i);
  assert.match(answer, /\{"error":\{"message":"The web app does not answer/);
  assert.match(answer, /referrer-policy: same-origin/i);
});

Deno.test("front door: a WebSocket and a slow answer come through piece by piece", async () => {
  const next = Promise.withResolvers<void>();
  await using front = await startFront((request) => {
    if (request.headers.get("upgrade")) {
      const { socket, response } = Deno.upgradeWebSocket(request);
      socket.onmessage = ({ data }) => socket.send(`got ${data}`);
      return response;
    }
    return new Response(ReadableStream.from((async function* () {
      yield new TextEncoder().encode("first");
      await next.promise;
      yield new TextEncoder().encode("second");
    })()));
  });
  const socket = new WebSocket(`ws://127.0.0.1:${front.port}/`);
  await new Promise((done) => socket.onopen = done);
  const answer = new Promise<string>((done) => socket.onmessage = ({ data }) => done(data));
  socket.send("hello");
  assert.equal(await answer, "got hello");
  const closed = new Promise((done) => socket.onclose = done);
  socket.close();
  await closed;

  const reader = (await fetch(front.url)).body!.getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value), "first");
  next.resolve();
  assert.equal(new TextDecoder().decode((await reader.read()).value), "second");
  while (!(await reader.read()).done);
});

Deno.test("front door: texts are compressed for those who take it, segments and playlists are not", async () => {
  const types = {
    "/page": "text/html; charset=utf-8",
    "/script": "text/javascript; charset=UTF-8",
    "/list": "application/json",
    "/channel.m3u8": "application/vnd.apple.mpegurl",
    "/segment.ts": "video/mp2t",
  };
  await using front = await startFront((request) => {
    const type = types[new URL(request.url).pathname as keyof typeof types];
    return new Response("much of this ".repeat(1000), { headers: { "content-type": type } });
  });
  for (const [path, type] of Object.entries(types)) {
    const isText = /html|javascript|json/.test(type);
    const packed = await get(front, path, "Accept-Encoding: gzip\r\n");
    assert.equal(/content-encoding: gzip/i.test(packed), isText, path);
    assert.equal(packed.length < 5000, isText, path);
    assert.equal(/content-length: 13000/i.test(packed), !isText, path);
    assert.doesNotMatch(await get(front, path), /content-encoding/i, path);
  }
});

Deno.test("front door: events come through as they come, and end with their client", async () => {
  await using app = await testApp({ isStarted: true, env: { TIMINGS: '{"feed":{"roundMs":20}}' } });
  await app.create({ desiredState: "stopped" });
  await using front = await startFront((request, info) => app.handler(request, info));
  const client = new AbortController();
  const answer = await fetch(`${front.url}/api/events`, {
    headers: { "accept-encoding": "gzip" },
    signal: client.signal,
  });
  assert.equal(
    answer.headers.get("x-accel-buffering"),
    "no",
    "a proxy before the front door would collect it",
  );
  await using listener = new FeedListener(answer);
  await listener.until("state");
  await app.api("PATCH", "/api/streams/clock", { name: "Other" });
  await listener.until("list");
  client.abort();
  await until("the connection's end", () => app.service.feed.listeners === 0);
});

Deno.test("front door: a connection goes on whose request was refused before its body came", async () => {
  await using app = await testApp();
  const asked = Promise.withResolvers<void>();
  await using front = await startFront((request, info) => {
    if (request.method === "POST") asked.resolve();
    return app.handler(request, info);
  });
  using conn = await Deno.connect({ hostname: "127.0.0.1", port: front.port });
  const send = (text: string) => conn.write(new TextEncoder().encode(text));
  const host = `Host: 127.0.0.1:${front.port}\r\n`;
  await send(`POST /api/streams HTTP/1.1\r\n${host}Content-Type: text/plain\r\nContent-Length: 4\r\n\r\n`);
  await asked.promise;
  // as long as a reverse proxy's second packet may take
  assert.match(await get(front, "/healthz"), /^HTTP\/1.1 200 /);
  await send("body");
  assert.match(await readHead(conn), /^HTTP\/1.1 415 /);
  await send(`GET /healthz HTTP/1.1\r\n${host}\r\n`);
  assert.match(await readHead(conn), /HTTP\/1.1 200 /);
});

inSoak(Deno.test)("front door: a board of 60 streams needs 86 kB until it can be used", async () => {
  await using app = await testApp({ isStarted: true });
  const streams = Array.from({ length: 60 }, (_, at) => ({
    name: `Screen ${at}`,
    group: `Floor ${at % 5}`,
    url: `https://screens.example.org/${crypto.randomUUID().replace(/\d/g, "x")}`,
    desiredState: "stopped",
  }));
  assert.equal((await app.api("POST", "/api/streams/import", streams)).status, 200);
  await using front = await startFront((request, info) => app.handler(request, info));
  const browser = await launchBrowser();
  try {
    const { page, errors } = await openPage(browser);
    // what a browser does once, for its first page ever; no page of the board's, whose requests would come late
    await page.goto(`${front.url}/styles.css`);
    const client = await page.context().newCDPSession(page);
    await client.send("Network.enable");
    await client.send("Network.setCacheDisabled", { cacheDisabled: true });
    await client.send("Network.emulateNetworkConditions", SLOW);
    const html = Promise.withResolvers<number>();
    let first = "";
    /** What the page needs to be ready; what it asks for then may be here as soon as we see that it is. */
    const needs = new Set<string>();
    const sizes = new Map<string, number>();
    let isReady = false;
    client.on("Network.requestWillBeSent", ({ requestId, type, request }) => {
      if (type === "Document") first ||= requestId;
      const path = new URL(request.url).pathname;
      isReady ||= first !== "" && ASKED_WHEN_READY.test(path);
      if (first !== "" && !isReady) needs.add(requestId);
    });
    client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      sizes.set(requestId, encodedDataLength);
      if (requestId === first) html.resolve(encodedDataLength);
    });
    await page.addInitScript(filterWhenReady, "screen 59");
    await page.goto(front.url, { waitUntil: "commit" });
    const found = await page.waitForFunction(() => (globalThis as unknown as { foundAt?: number }).foundAt);
    const took = await found.jsonValue() as number;
    const bytes = await html.promise;
    const needed = [...needs].reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0);
    console.log(`${Math.round(took)} ms, ${bytes} bytes of HTML, ${needed} of all`);
    assert.ok(bytes < FIRST_HTML_BYTES, `the first HTML has ${bytes} bytes`);
    assert.ok(needed > bytes && needed < USABLE_BYTES, `${needed} bytes`);
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
  }
});
