import { strict as assert } from "node:assert";
import { join } from "node:path";
import type { LogPart } from "../../lib/streams/logs.ts";
import { startService, until } from "../support/service.ts";

Deno.test("a stream's logs are read, followed and downloaded, and nothing else is", async (t) => {
  const service = await startService();
  const pass = "s3cret-pässword";
  const json = async (path: string) => {
    const answer = await service.api("GET", path);
    assert.equal(answer.status, 200, path);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    return await answer.json();
  };
  const log = (program: string, query = ""): Promise<LogPart> =>
    json(`/api/streams/login/log/${program}${query}`);
  try {
    const fields = { name: "Login", url: `${service.pageUrl}login.html`, user: "ops", pass };
    await service.create(fields);

    await t.step("each program that ran has a log, in pipeline order", async () => {
      await until("the login", 45_000, async () => (await log("autologin")).text.includes("login form sent"));
      const { programs } = await json("/api/streams/login/log");
      const names = programs.map(({ name }: { name: string }) => name);
      assert.deepEqual(names, ["display", "wm", "browser", "encoder", "autologin"]);
      for (const { size, changedAt } of programs) {
        assert.ok(size >= 0 && Math.abs(Date.now() - changedAt) < 120_000);
      }
      assert.match((await log("display")).text, /Xvnc/);
      assert.match((await log("browser")).text, /DevTools listening on ws:\/\/127\.0\.0\.1/);
    });

    await t.step("what comes later follows after the offset", async () => {
      await until("it to run", 45_000, async () => (await service.status("login")).state === "running");
      let { next } = await log("encoder");
      Deno.kill(await service.programPid("encoder-login"), "SIGTERM");
      let text = "";
      await until("the next encoder's first words", 30_000, async () => {
        const part = await log("encoder", `?after=${next}`);
        next = part.next;
        text += part.text;
        return text.includes("x11grab");
      });
      assert.ok((await log("encoder")).text.includes(text));
    });

    await t.step("a rotated log goes on", async () => {
      const { next } = await log("encoder");
      const path = join(service.dataDir, "logs/login/encoder.log");
      // as supervisord does when it is full
      await Deno.rename(path, `${path}.1`);
      await Deno.writeTextFile(path, "\x1b[31mfirst line of the next file\x1b[0m\n");
      const part = await log("encoder", `?after=${next}`);
      assert.ok(part.text.endsWith("first line of the next file\n"), part.text); // no colours
      assert.match(part.next, /-37$/);
    });

    await t.step("the download is the whole log as a file", async () => {
      const answer = await service.api("GET", "/api/streams/login/log/browser?download");
      assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
      assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="login-browser.log"');
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
      const bytes = await answer.bytes();
      const stored = await Deno.readFile(join(service.dataDir, "logs/login/browser.log"));
      assert.deepEqual(bytes, stored.subarray(0, bytes.length));
      assert.ok(bytes.length > 0);
      const head = await service.api("HEAD", "/api/streams/login/log/browser?download");
      assert.deepEqual([head.status, await head.text()], [200, ""]);
      const never = await service.api("GET", "/api/streams/login/log/autoreload?download");
      assert.equal(never.status, 404);
      assert.match((await never.json()).error.message, /has not run yet/);
    });

    await t.step("neither passwords nor VNC tokens are in any of them", async () => {
      const tokens = [...(await Deno.readTextFile(join(service.runDir, "tokens"))).matchAll(/^\w{32}/gm)];
      assert.equal(tokens.length, 1);
      for (const { name } of (await json("/api/streams/login/log")).programs) {
        const text = await (await service.api("GET", `/api/streams/login/log/${name}?download`)).text();
        for (const secret of [pass, JSON.stringify(pass), encodeURIComponent(pass), tokens[0][0]]) {
          assert.ok(!text.includes(secret), `${name}: ${text}`);
        }
      }
    });

    await t.step("no other file can be asked for", async () => {
      const link = join(service.dataDir, "logs/login/autoreload.log");
      await Deno.symlink(join(service.dataDir, "streams/streams.json"), link);
      assert.deepEqual(await log("autoreload"), { text: "", next: "0-0" });
      const names = [
        "media",
        "supervisord",
        "..",
        "%2e%2e",
        "..%2f..%2fstreams%2fstreams.json",
        "encoder.log",
        "encoder%00",
      ];
      for (
        const name of [
          ...names,
          "encoder.log.1",
          "__proto__",
          "Encoder",
          "encoder%2f..",
          "",
          "autoreload?download",
        ]
      ) {
        const answer = await service.api("GET", `/api/streams/login/log/${name}`);
        const text = await answer.text();
        const isList = name === "" || name === "%2e%2e" || name === "..";
        assert.ok(isList || [400, 404].includes(answer.status), `${name}: ${answer.status}`);
        assert.ok(!text.includes("s3cret"), name);
      }
      for (const id of ["none", "..%2flogs%2flogin", "%2e%2e", "__proto__", "LOGIN"]) {
        const answer = await service.api("GET", `/api/streams/${id}/log/encoder`);
        assert.ok([400, 404].includes(answer.status), `${id}: ${answer.status}`);
        await answer.body?.cancel();
      }
      for (const after of ["-1", "x", "2048", "1.2-1e9", ""]) {
        const answer = await service.api("GET", `/api/streams/login/log/encoder?after=${after}`);
        assert.equal(answer.status, 400);
        assert.match((await answer.json()).error.fields.after, /has as next/);
      }
    });

    await t.step("they go with the stream", async () => {
      assert.equal((await service.api("DELETE", "/api/streams/login")).status, 204);
      const answer = await service.api("GET", "/api/streams/login/log");
      assert.equal(answer.status, 404);
      await answer.body?.cancel();
    });
  } finally {
    await service.stop();
  }
});
