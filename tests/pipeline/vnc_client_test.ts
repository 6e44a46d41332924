import { strict as assert } from "node:assert";
import { connect } from "node:net";
import { startService, type TestService, until } from "../support/service.ts";

const CORE = ["core/rfb.js", "core/websock.js", "core/display.js", "core/input/keyboard.js", "vnc_lite.html"];

/** After `/api/webvnc`, as a client may send it. */
const ATTACKS = [
  ...[
    "",
    "/",
    "/core",
    "/core/",
    "/app/",
    "/utils/",
    "/core/../",
    "/..",
    "/../etc/passwd",
    "/../../etc/passwd",
  ],
  ...[
    "/%2e%2e/%2e%2e/etc/passwd",
    "/..%2f..%2fetc/passwd",
    "/%252e%252e/etc/passwd.js",
    "/..%5c..%5cetc/passwd",
  ],
  ...[
    "/core/..%2frfb.js",
    "/core//rfb.js",
    "//core/rfb.js",
    "/core/rfb.js%00",
    "/core/rfb.js%0d%0aHost:%20x",
  ],
  ...[
    "/core\\rfb.js",
    "/.git/config.json",
    "/core/.hidden.js",
    "/core/rfb",
    "/no-such.js",
    "/utils/launch.sh",
  ],
  ...["/@evil.example/x.js", "/core/rfb.js/", "/core/rfb.js;x", "/etc/passwd", "/proc/self/environ"],
];

/** Sends the path as it is; fetch would tidy it up. @returns status line, headers and body. */
function rawGet(service: TestService, path: string): Promise<string> {
  return new Promise((done, failed) => {
    const socket = connect(Number(service.env.PORT), "127.0.0.1");
    let text = "";
    socket.setTimeout(15_000, () => socket.destroy(new Error(`no answer to ${path}`)));
    socket.on("data", (data) => text += data.toString("latin1"));
    socket.on("close", () => done(text));
    socket.on("error", failed);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${service.env.PORT}\r\nConnection: close\r\n\r\n`);
  });
}

Deno.test("noVNC's files come through the web app", async (t) => {
  const service = await startService();
  const get = (path: string, init?: RequestInit) => fetch(`${service.url}/api/webvnc/${path}`, init);
  const proxyLog = () => Deno.readTextFile(`${service.dataDir}/logs/vnc-proxy.log`);
  try {
    await until("the VNC proxy", 30_000, async () => {
      const answer = await get("core/rfb.js");
      await answer.body?.cancel();
      return answer.ok;
    });

    await t.step("with type, validator, a while in caches, and our security headers", async () => {
      const answer = await get("core/rfb.js");
      assert.equal(await answer.text(), await Deno.readTextFile("/usr/share/novnc/core/rfb.js"));
      assert.match(answer.headers.get("content-type")!, /javascript/);
      assert.equal(answer.headers.get("cache-control"), "public, max-age=3600");
      assert.match(answer.headers.get("content-security-policy")!, /default-src 'self'/);
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
      assert.equal(answer.headers.get("server"), null);
      const modified = answer.headers.get("last-modified")!;
      const again = await get("core/rfb.js", { headers: { "if-modified-since": modified } });
      assert.equal(again.status, 304);
      assert.equal(again.headers.get("cache-control"), "public, max-age=3600");
      assert.equal(await again.text(), "");
    });

    await t.step("HEAD works, nothing else changes or posts anything", async () => {
      const head = await get("vnc.html", { method: "HEAD" });
      assert.equal(head.status, 200);
      assert.equal(await head.text(), "");
      for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
        const answer = await get("vnc.html", { method });
        await answer.body?.cancel();
        assert.equal(answer.status, 404, method);
      }
    });

    await t.step("our own page lies beside them", async () => {
      for (const [name, type] of [["client.html", "text/html"], ["client.js", "javascript"]]) {
        const answer = await get(name);
        await answer.body?.cancel();
        assert.equal(answer.status, 200);
        assert.ok(answer.headers.get("content-type")!.includes(type));
      }
    });

    await t.step("nothing leads out of their folder, and no folder is listed", async () => {
      const before = (await proxyLog()).split("\n").length;
      for (const attack of ATTACKS) {
        const answer = await rawGet(service, `/api/webvnc${attack}`);
        assert.match(answer, /^HTTP\/1\.1 40[04] /, `${attack}: ${answer.slice(0, 200)}`);
        assert.doesNotMatch(answer, /root:|Directory listing|class RFB/, attack);
      }
      const asked = (await proxyLog()).split("\n").slice(before - 1).join("\n");
      assert.doesNotMatch(asked, /passwd|%|\.\.|hidden|environ/);
    });

    await t.step("twenty at once, five times: each a good answer", async () => {
      for (let round = 0; round < 5; round++) {
        const answers = await Promise.all(Array.from({ length: 20 }, async (_, n) => {
          const answer = await get(CORE[n % CORE.length]);
          return [answer.status, (await answer.text()).length];
        }));
        for (const [status, length] of answers) assert.ok(status === 200 && length > 500, `${status}`);
      }
    });

    await t.step("without the VNC proxy: 502, try again; then it is back", async () => {
      const [pid] = service.processes(/websockify/);
      Deno.kill(pid, "SIGKILL");
      const answer = await get("core/rfb.js");
      if (answer.status !== 200) {
        assert.equal(answer.status, 502);
        assert.equal(answer.headers.get("retry-after"), "1");
        assert.match((await answer.json()).error.message, /^The VNC proxy does not answer/);
      } else await answer.body?.cancel();
      await until("the VNC proxy to be back", 30_000, async () => {
        const answer = await get("core/rfb.js");
        await answer.body?.cancel();
        return answer.ok;
      });
    });
  } finally {
    await service.stop();
  }
});
