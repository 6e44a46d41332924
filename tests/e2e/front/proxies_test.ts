/**
 * Everything that passes a reverse proxy, behind those of docs/proxies/ as they stand there, and behind nginx's defaults: by way
 * of the real front door. What needs a channel's files is in tests/e2e/secrets/login_test.ts.
 */
import { strict as assert } from "node:assert";
import { streamId } from "../../../lib/model/id.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { fakeRfb } from "../../support/fake_rfb.ts";
import { FeedListener } from "../../support/feed_listener.ts";
import { startFront } from "../../support/front.ts";
import { rawRequest } from "../../support/raw_http.ts";
import { readHead } from "../../support/raw.ts";
import {
  ask,
  BARE_NGINX,
  connectTo,
  HOST,
  listenThrough,
  PROXIES,
  startProxy,
} from "../../support/reverse_proxy.ts";
import { audioSettings, picture, sound, videoSettings } from "../../support/rtmp_channel.ts";
import { OWN_SCRIPT } from "../../support/service.ts";
import { reserveSlot } from "../../support/slot.ts";

const [AUTH_USER, AUTH_PASS] = ["anna", "correct-horse-battery"];

/** More than a proxy takes for its buffers, and than nginx takes for a body where nothing is said (1 MB). */
const BACKUP_BYTES = 3_000_000;

/** Sends a second of a channel again and again: whoever comes gets it. */
function playing({ machine: { channel } }: TestApp): Disposable {
  let time = 10_000;
  const timer = setInterval(() => {
    channel.send([videoSettings(), audioSettings(), picture(time, true, 3000), sound(time, 60)]);
    time += 100;
  }, 100);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/**
 * Opens a WebSocket, and reads the first bytes behind its handshake. @param headers beside those of every handshake.
 * @returns "bytes", or the refusal.
 */
async function firstBytes(conn: Deno.Conn, path: string, headers: Record<string, string>): Promise<string> {
  using _conn = conn;
  const head = {
    ...headers,
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-version": "13",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  await conn.write(new TextEncoder().encode(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`));
  const answer = await readHead(conn);
  if (!answer.startsWith("HTTP/1.1 101 ")) return answer.slice(0, 400);
  const buffer = new Uint8Array(16);
  // what has come with the head is lost
  const count = await conn.read(buffer);
  return count === null ? "nothing" : "bytes";
}

/** Reads so much of an answer that goes on, and leaves. */
async function beginning(answer: Response, bytes: number): Promise<Uint8Array> {
  const reader = answer.body!.getReader();
  const pieces: Uint8Array[] = [];
  for (let size = 0; size < bytes;) {
    const { value } = await reader.read();
    if (!value) break;
    pieces.push(value);
    size += value.length;
  }
  await reader.cancel().catch(() => {});
  return new Uint8Array(await new Blob(pieces as BlobPart[]).arrayBuffer());
}

for (const name of [...PROXIES, BARE_NGINX] as const) {
  Deno.test(`behind ${name}: pages, login, changes, events as they happen, streams, WebSockets, a backup, and PUBLIC_URL in lists`, async () => {
    using slot = reserveSlot();
    const port = Number(slot.env.PORT);
    const isBare = name === BARE_NGINX;
    const origin = `${isBare ? "http" : "https"}://${HOST}:${port}`;
    const env = { AUTH_USER, AUTH_PASS, PUBLIC_URL: origin, TRUSTED_PROXIES: "127.0.0.1" };
    await using display = fakeRfb();
    await using app = await testApp({
      isStarted: true,
      env: { ...env, VNC_PROXY_PORT: String(display.port), TIMINGS: '{"feed":{"roundMs":5}}' },
    });
    app.service.vncProxy.isOurs = () => Promise.resolve(true);
    await using front = await startFront((request, info) => app.handler(request, info), env);
    await using proxy = await startProxy(name, front.url, port);
    assert.equal(proxy.origin, origin);

    const sent = { "content-type": "application/x-www-form-urlencoded", origin };
    const body = `${new URLSearchParams({ user: AUTH_USER, pass: AUTH_PASS })}`;
    assert.equal((await ask(proxy, "/api/streams")).status, 401);
    const login = await ask(proxy, "/login", { method: "POST", headers: sent, body });
    assert.equal(login.status, 303, login.text);
    const [cookie, ...attributes] = login.headers.get("set-cookie")!.split("; ");
    assert.equal(attributes.includes("Secure"), !isBare, `${attributes}`);

    // as a browser asks
    const packed = { cookie, "accept-encoding": "gzip" };
    await using events = new FeedListener(await listenThrough(proxy, "/api/events", packed));
    await events.until("state");
    const change = (method: string, path: string, value: unknown) =>
      ask(proxy, path, {
        method,
        headers: { cookie, origin, "content-type": "application/json" },
        body: JSON.stringify(value),
      });
    const created = await change("POST", "/api/streams", { name: "Clock", url: "https://clock.example/" });
    assert.equal(created.status, 201, created.text);
    await events.until("list");
    const foreign = { cookie, origin: "https://a.test", "content-type": "application/json" };
    const refused = await ask(proxy, "/api/streams/clock", { method: "PATCH", headers: foreign, body: "{}" });
    assert.equal(refused.status, 403);

    const page = await ask(proxy, "/", { headers: { cookie } });
    assert.match(page.text, /Clock/);
    const playlist = await ask(proxy, "/playlist.m3u", { headers: { cookie } });
    assert.ok(playlist.text.includes(`\n${origin}/api/hls/live/clock/index.m3u8\n`), playlist.text);
    assert.ok((await ask(proxy, "/epg.xml", { headers: { cookie } })).text.includes("<channel"));

    using _playing = playing(app);
    const transport = await beginning(await listenThrough(proxy, "/api/ts/clock", { cookie }), 20_000);
    assert.deepEqual([transport[0], transport[188]], [0x47, 0x47]);

    const { text } = await ask(proxy, "/api/streams/clock/vnc", { headers: { cookie, ...OWN_SCRIPT } });
    const { token } = JSON.parse(text);
    assert.equal(token, app.service.tokens.get(streamId("clock")));
    for (const path of [`/api/webvnc/websockify?token=${token}`, "/api/ts/clock"]) {
      const seen = await firstBytes(await connectTo(proxy), path, {
        host: new URL(origin).host,
        origin,
        cookie,
      });
      // it sends no Upgrade: players go on with HLS, and /vnc says what its proxy lacks
      if (isBare) assert.doesNotMatch(seen, /^bytes/);
      else assert.equal(seen, "bytes", path);
    }

    const backup = JSON.stringify([{ name: "Imported", url: "https://a.example/", desiredState: "stopped" }]);
    const large = `${backup.slice(0, -1)}${" ".repeat(isBare ? 1000 : BACKUP_BYTES)}]`;
    const imported = await ask(proxy, "/api/streams/import", {
      method: "POST",
      headers: { cookie, origin, "content-type": "application/json" },
      body: large,
    });
    assert.equal(imported.status, 200, imported.text.slice(0, 300));
    await events.until("list");
  });
}

/**
 * What Traefik 2 and 3 send with every request, and of a WebSocket's handshake: pkg/middlewares/forwardedheaders, where
 * X-Forwarded-Proto is wss or ws (traefik/traefik#6388). Traefik itself is no package of Debian.
 */
const TRAEFIK = {
  "host": HOST,
  "x-forwarded-for": "192.0.2.9",
  "x-forwarded-host": HOST,
  "x-forwarded-port": "443",
  "x-forwarded-proto": "https",
  "x-forwarded-server": "traefik",
  "x-real-ip": "192.0.2.9",
};

Deno.test("by Traefik's headers: its cookie for https, its address in lists, and both WebSockets", async () => {
  const env = { AUTH_USER, AUTH_PASS, TRUSTED_PROXIES: "127.0.0.1", ALLOWED_HOSTS: HOST };
  const origin = `https://${HOST}`;
  await using display = fakeRfb();
  await using app = await testApp({ isStarted: true, env: { ...env, VNC_PROXY_PORT: String(display.port) } });
  app.service.vncProxy.isOurs = () => Promise.resolve(true);
  await app.create();
  await using front = await startFront((request, info) => app.handler(request, info), env);
  const sent = { ...TRAEFIK, origin, "content-type": "application/x-www-form-urlencoded" };
  const body = `${new URLSearchParams({ user: AUTH_USER, pass: AUTH_PASS })}`;
  const login = await rawRequest(`${front.url}/login`, { method: "POST", headers: sent, body });
  assert.equal(login.status, 303, login.text);
  assert.match(login.headers.get("set-cookie")!, /; Secure/);
  const cookie = login.headers.get("set-cookie")!.split(";")[0];
  const playlist = await rawRequest(`${front.url}/playlist.m3u`, { headers: { ...TRAEFIK, cookie } });
  assert.ok(playlist.text.includes(`\n${origin}/api/hls/live/clock/index.m3u8\n`), playlist.text);
  using _playing = playing(app);
  const token = app.service.tokens.get(streamId("clock"));
  const wrong: string[] = [];
  for (const path of [`/api/webvnc/websockify?token=${token}`, "/api/ts/clock"]) {
    for (const scheme of ["wss", "WSS", "wss,http"]) {
      const conn = await Deno.connect({ hostname: "127.0.0.1", port: front.port });
      const seen = await firstBytes(conn, path, { ...TRAEFIK, "x-forwarded-proto": scheme, origin, cookie });
      if (seen !== "bytes") wrong.push(`${scheme} ${path}: ${seen}`);
    }
  }
  assert.deepEqual(wrong, []);
});
