/** The login on the real service: what is left open, where the password is, and taking over a browser. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { processesOfRun } from "../../../lib/machine/os/orphans.ts";
import { run } from "../../../lib/machine/os/process.ts";
import { commandLine, environment } from "../../support/proc.ts";
import { rawRequest } from "../../support/raw_http.ts";
import { readHead } from "../../support/raw.ts";
import { ask, BARE_NGINX, HOST, PROXIES, startProxy } from "../../support/reverse_proxy.ts";
import { same, until } from "../../support/same.ts";
import { forgetSession, LOGIN, secretTest, sessionOf } from "../../support/secret_service.ts";
import { OWN_SCRIPT, type TestService } from "../../support/service.ts";
import { reserveSlot } from "../../support/slot.ts";

const { AUTH_USER, AUTH_PASS: PASSWORD } = LOGIN;

async function request(
  service: TestService,
  method: string,
  path: string,
  headers: Record<string, string> | null = null,
) {
  return await rawRequest(service.url + path, {
    method,
    headers: headers ?? { cookie: await sessionOf(service) },
  });
}

secretTest("a channel plays with the session, and not without", async (service) => {
  const path = "/api/hls/live/secrets/index.m3u8";
  const playlist = await request(service, "GET", path);
  assert.match(playlist.text, /#EXTINF/);
  assert.equal(playlist.headers.get("set-cookie"), null);
  assert.equal((await request(service, "GET", path, {})).status, 401);
});

secretTest(
  "the media server listens on loopback alone, whatever MEDIA_HOST says, and the start says so",
  (service) => {
    const port = Number(service.env.MEDIA_PORT).toString(16).toUpperCase().padStart(4, "0");
    const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map((file) => Deno.readTextFileSync(file)).join("");
    const listeners = [...tables.matchAll(/^\s*\d+: (\w+):(\w{4}) \S+ 0A/gm)].filter(([, , its]) =>
      its === port
    );
    // proc(5): 127.0.0.1, and ::1 where the machine has it
    const hasIpv6 = Deno.networkInterfaces().some(({ address }) => address === "::1");
    const loopback = ["0100007F", ...(hasIpv6 ? ["00000000000000000000000001000000"] : [])];
    assert.deepEqual(listeners.map(([, address]) => address), loopback);
    assert.match(service.output(), /MEDIA_HOST=0\.0\.0\.0 is ignored/);
    assert.doesNotMatch(service.output(), /There is no login/);
  },
);

secretTest("with a login nobody on this machine watches at the media server itself", async (service) => {
  for (const path of ["index.m3u8", "none.ts"]) {
    const answer = await rawRequest(`${service.mediaUrl}/live/secrets/${path}`, {
      headers: { "x-media-key": "" },
    });
    assert.equal(answer.status, 403, path);
  }
  const address = `rtmp://127.0.0.1:${service.env.RTMP_PORT}/live/secrets`;
  const probe = await run(["ffprobe", "-v", "error", "-show_streams", address], {
    timeoutMs: 10_000,
    cwd: "/",
  });
  assert.doesNotMatch(probe.stdout, /codec_name/);
  assert.notEqual(probe.code, 0);
});

secretTest("no program but `up` has the password in its environment or command line", async (service) => {
  const running = () => processesOfRun(service.runDir);
  for (const program of [/supervisord/, /serve$/m, /chromium/, /ffmpeg/, /Xvnc/]) {
    await same(() => running().map(commandLine).join("\n"), program);
  }
  for (const pid of running()) {
    const [command, variables] = [commandLine(pid), environment(pid)];
    assert.ok(!command.includes(PASSWORD), command);
    assert.ok(!variables.includes(PASSWORD) && !variables.includes(AUTH_USER), command);
  }
});

secretTest("the password is in one file, which is its owner's alone, and in no log", async (service) => {
  const files = await run(["grep", "-rlaF", PASSWORD, service.dataDir, service.runDir], {
    timeoutMs: 20_000,
  });
  const passFile = join(service.runDir, "web/auth-pass");
  assert.deepEqual(files.stdout.trim().split("\n"), [passFile]);
  const secrets = [
    passFile,
    join(service.runDir, "web/auth-user"),
    join(service.dataDir, "streams/session.key"),
  ];
  for (const path of secrets) assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600, path);
  assert.ok(!service.output().includes(PASSWORD));
});

/** A WebSocket's request, without a client's ways. @returns the answer's status. */
async function shakeHands(conn: Deno.Conn, path: string, headers: Record<string, string>): Promise<number> {
  const lines = Object.entries({
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-version": "13",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  await conn.write(new TextEncoder().encode(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`));
  return Number((await readHead(conn)).split(" ")[1]);
}

async function upgrade(service: TestService, path: string, headers: Record<string, string>) {
  const { hostname, port } = new URL(service.url);
  const conn = await Deno.connect({ hostname, port: Number(port) });
  const own = { host: `${hostname}:${port}`, origin: service.url };
  return { conn, status: await shakeHands(conn, path, { ...own, ...headers }) };
}

for (const name of PROXIES) {
  secretTest(
    `behind ${name} as in docs/proxies: login, channel, playlist and VNC by https`,
    async (service) => {
      using slot = reserveSlot();
      await using proxy = await startProxy(name, service.url, Number(slot.env.PORT));
      const sent = { "content-type": "application/x-www-form-urlencoded", origin: proxy.origin };
      const body = `${new URLSearchParams({ user: AUTH_USER, pass: PASSWORD })}`;
      assert.equal(
        (await ask(proxy, "/login", { method: "POST", headers: { ...sent, origin: "https://a.test" }, body }))
          .status,
        403,
      );
      const login = await ask(proxy, "/login", { method: "POST", headers: sent, body });
      assert.equal(login.status, 303, login.text);
      const [own, ...attributes] = login.headers.get("set-cookie")!.split("; ");
      assert.ok(attributes.includes("Secure"), "by https the cookie is for https alone");
      // the proxy's own address is 127.0.0.1
      await until("the log to have the client's address", () => service.output().includes('"address":"::1"'));

      const get = (path: string) => ask(proxy, path, { headers: { cookie: own } });
      assert.match(
        (await get("/playlist.m3u")).text,
        new RegExp(`^${proxy.origin}/api/hls/live/secrets/index.m3u8$`, "m"),
      );
      const playlist = await get("/api/hls/live/secrets/index.m3u8");
      const segment = playlist.text.split("\n").findLast((line) => line.includes(".ts"))!;
      const { status, text } = await get(`/api/hls/live/secrets/${segment}`);
      assert.equal(status, 200);
      assert.equal(text[0], "G", "a segment begins with the sync byte 0x47");

      const vnc = await ask(proxy, "/api/streams/secrets/vnc", { headers: { cookie: own, ...OWN_SCRIPT } });
      const plain = await Deno.connect({ hostname: "::1", port: proxy.port });
      const conn = await Deno.startTls(plain, { hostname: HOST, caCerts: [proxy.ca!] });
      const path = `/api/webvnc/websockify?token=${JSON.parse(vnc.text).token}`;
      const answer = await shakeHands(conn, path, {
        host: new URL(proxy.origin).host,
        origin: proxy.origin,
        cookie: own,
      });
      conn.close();
      assert.equal(answer, 101);
    },
  );
}

secretTest(`a channel plays behind ${BARE_NGINX}`, async (service) => {
  using slot = reserveSlot();
  await using proxy = await startProxy(BARE_NGINX, service.url, Number(slot.env.PORT));
  const cookie = await sessionOf(service);
  const get = (path: string) => ask(proxy, path, { headers: { cookie, "accept-encoding": "gzip" } });
  const playlist = await ask(proxy, "/api/hls/live/secrets/index.m3u8", { headers: { cookie } });
  const segment = playlist.text.split("\n").findLast((line) => line.includes(".ts"))!;
  const { status, headers } = await get(`/api/hls/live/secrets/${segment}`);
  assert.deepEqual([status, headers.get("content-type")], [200, "video/mp2t"]);
});

secretTest(
  "a browser is taken over with the session, and given back when everybody is logged out",
  async (service) => {
    const cookie = await sessionOf(service);
    const answer = await request(service, "GET", "/api/streams/secrets/vnc", { cookie, ...OWN_SCRIPT });
    const { token } = JSON.parse(answer.text);
    const path = `/api/webvnc/websockify?token=${token}`;
    const refused = await upgrade(service, path, {});
    refused.conn.close();
    assert.equal(refused.status, 401);
    const { conn, status } = await upgrade(service, path, { cookie });
    assert.equal(status, 101);
    const [everywhere] = await Promise.all([
      request(service, "POST", "/logout?everywhere", { cookie }),
      untilClosed(conn),
    ]);
    forgetSession();
    assert.equal(everywhere.status, 303);
    assert.equal((await request(service, "GET", "/api/streams", { cookie })).status, 401);
  },
);

/** Reads on until the other end closes. */
async function untilClosed(conn: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(65_536);
  let last: number[] = [];
  for (let count = await conn.read(buffer); count !== null; count = await conn.read(buffer)) {
    last = [...last, ...buffer.subarray(0, count)].slice(-64);
    const close = last.lastIndexOf(0x88);
    if (close >= 0 && last[close + 2] === 1008 >> 8 && last[close + 3] === (1008 & 255)) break;
  }
  conn.close();
  assert.ok(last.includes(0x88), "a close frame");
}
