/** The logs of a stream's programs, over HTTP. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { appTest, type TestApp } from "../support/app.ts";
import type { LogPart } from "../../lib/model/answers/shapes.ts";

const LINES = "Xvnc starts\n\x1b[31mready\x1b[0m\n";

/** A test with a stream whose encoder has run. */
function logTest(name: string, test: (app: TestApp, folder: string) => Promise<void>) {
  appTest(name, async (app) => {
    await app.create({ name: "Login", desiredState: "stopped", user: "ops", pass: "s3cret" });
    const folder = join(app.paths.logsDir, "login");
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(join(folder, "encoder.log"), LINES);
    await test(app, folder);
  });
}

async function read(app: TestApp, program: string, query = ""): Promise<LogPart> {
  const { status, headers, json } = await app.api("GET", `/api/streams/login/log/${program}${query}`);
  assert.deepEqual([status, headers.get("cache-control")], [200, "no-store"]);
  return json;
}

logTest("the list names the programs that ran, in pipeline order", async (app, folder) => {
  for (const name of ["autologin", "display"]) await Deno.writeTextFile(join(folder, `${name}.log`), "x\n");
  await Deno.writeTextFile(join(folder, "other.log"), "x\n");
  const { json, headers } = await app.api("GET", "/api/streams/login/log");
  assert.deepEqual(json.programs.map(({ name, size }: { name: string; size: number }) => [name, size]), [
    ["display", 2],
    ["encoder", LINES.length],
    ["autologin", 2],
  ]);
  assert.equal(headers.get("cache-control"), "no-store");
});

logTest("a log is read without colours, then followed from where the answer ended", async (app, folder) => {
  const first = await read(app, "encoder");
  assert.equal(first.text, "Xvnc starts\nready\n");
  await Deno.writeTextFile(join(folder, "encoder.log"), "more\n", { append: true });
  assert.equal((await read(app, "encoder", `?after=${first.next}`)).text, "more\n");
});

logTest("a rotated log goes on in the next file", async (app, folder) => {
  const { next } = await read(app, "encoder");
  const path = join(folder, "encoder.log");
  await Deno.rename(path, `${path}.1`); // as supervisord does when it is full
  await Deno.writeTextFile(path, "next file\n");
  assert.equal((await read(app, "encoder", `?after=${next}`)).text, "next file\n");
});

logTest("the download is the whole log as a file", async (app) => {
  const path = "/api/streams/login/log/encoder?download";
  const answer = await app.fetch(path);
  assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="login-encoder.log"');
  assert.equal(await answer.text(), LINES);
  const head = await app.fetch(path, { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
});

logTest("a program that never ran has an empty log, and nothing to download", async (app) => {
  assert.deepEqual(await read(app, "autoreload"), { text: "", next: "0-0" });
  const { status, json } = await app.api("GET", "/api/streams/login/log/autoreload?download");
  assert.equal(status, 404);
  assert.match(json.error.message, /has not run yet/);
});

logTest("no other file can be asked for", async (app, folder) => {
  await Deno.symlink(app.paths.streamsFile, join(folder, "autoreload.log"));
  const names = [
    "media",
    "supervisord",
    "..%2f..%2fstreams%2fstreams.json",
    "encoder.log",
    "encoder.log.1",
    "encoder%00",
    "encoder%2f..",
    "__proto__",
    "Encoder",
    "autoreload?download",
  ];
  for (const path of names.map((name) => `login/log/${name}`).concat("..%2flogs%2flogin/log/encoder")) {
    const answer = await app.fetch(`/api/streams/${path}`);
    assert.equal(answer.status, 404, path);
    assert.doesNotMatch(await answer.text(), /s3cret/, path);
  }
  assert.equal((await read(app, "autoreload")).text, "", "a link is not followed");
});

logTest("an offset that no answer gave is a 400", async (app) => {
  for (const after of ["-1", "x", "2048", "1.2-1e9", ""]) {
    const { status, json } = await app.api("GET", `/api/streams/login/log/encoder?after=${after}`);
    assert.equal(status, 400);
    assert.match(json.error.fields.after, /has as next/);
  }
});

logTest("a stream's logs go with it", async (app) => {
  assert.equal((await app.api("DELETE", "/api/streams/login")).status, 204);
  assert.equal((await app.api("GET", "/api/streams/login/log")).status, 404);
});
