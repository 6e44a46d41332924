/** Films of a channel's past that people have made: who may, what is refused, and what stays. ffmpeg is pretended here. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { namesIn } from "../../lib/machine/os/files.ts";
import { buildService } from "../../lib/service.ts";
import { appTest, type TestApp } from "../support/app.ts";
import { pastFolder, writePast } from "../support/past.ts";
import { until } from "../support/same.ts";

const BEGIN = 2_000_000_040;
const PATH = "/api/streams/clock/rewind/exports";
const ASKED = { start: BEGIN, end: BEGIN + 300, speed: 10 };

async function keep(app: TestApp): Promise<void> {
  await app.create();
  await writePast(pastFolder(app.paths), [
    { number: 1, seconds: [BEGIN, BEGIN + 5], end: BEGIN + 120, reason: "visit" },
    { number: 2, seconds: [BEGIN + 240], end: BEGIN + 300 },
  ], false);
  app.machine.advance((BEGIN + 5000) * 1000 - app.machine.now());
}

/** ffmpeg, which makes its file as soon as it may. */
function ffmpeg(app: TestApp) {
  let go = () => {};
  const may = new Promise<void>((done) => go = done);
  const commands: string[] = [];
  app.machine.runBytes = async (argv, { output, signal }) => {
    commands.push(argv.join(" "));
    await output!(new TextEncoder().encode("out_time_us=9000000\nprogress=continue\n"));
    await Promise.race([
      may,
      new Promise((_, fail) => signal!.addEventListener("abort", () => fail(new Error("cancelled")))),
    ]);
    await Deno.writeTextFile(argv.at(-1)!, "the film");
    return { code: 0, stdout: new Uint8Array(), stderr: "" };
  };
  return { commands, go };
}

appTest(
  "a film is made, says how far it is, is downloaded by its name, and stays until it is deleted",
  async (app) => {
    await keep(app);
    const { commands, go } = ffmpeg(app);
    const { status, json: film } = await app.api("POST", PATH, ASKED);
    assert.deepEqual([status, film.state, film.url], [202, "making", null]);
    await until("its progress", async () => (await app.api("GET", PATH)).json[0].progress === 0.5); // 9 of 18 s
    assert.equal((await app.fetch(`${PATH}/${film.id}.mp4`)).status, 404, "not yet");
    go();
    await until("the film", async () => (await app.api("GET", PATH)).json[0].state === "done");
    const [{ url, bytes, progress }] = (await app.api("GET", PATH)).json;
    assert.deepEqual([url, bytes, progress], [`http://127.0.0.1:3000${PATH}/${film.id}.mp4`, 8, 1]);
    const answer = await app.fetch(`${PATH}/${film.id}.mp4`);
    assert.equal(await answer.text(), "the film");
    assert.equal(
      answer.headers.get("content-disposition"),
      'attachment; filename="clock-2033-05-18T03-34-00Z-10x.mp4"',
    );
    assert.match(commands[0], /^\/usr\/bin\/nice -n 19 /);
    const again = await buildService(app.config, app.service.templates, app.machine);
    assert.equal(
      again.exports.list(app.service.streams.get("clock", "admin").id, "").length,
      1,
      "after a restart",
    );
    await again.stop();
    assert.equal((await app.fetch(`${PATH}/${film.id}.mp4`, { method: "DELETE" })).status, 204);
    assert.deepEqual((await app.api("GET", PATH)).json, []);
    assert.deepEqual(await namesIn(join(app.paths.exportsDir, "clock")), []);
    assert.equal((await app.fetch(`${PATH}/${film.id}.mp4`)).status, 404);
  },
);

appTest("a film that is deleted, or cut off by the service's end, leaves no half file", async (app) => {
  await keep(app);
  ffmpeg(app);
  const one = (await app.api("POST", PATH, ASKED)).json;
  assert.equal((await app.fetch(`${PATH}/${one.id}`, { method: "DELETE" })).status, 204);
  const two = (await app.api("POST", PATH, { ...ASKED, speed: 1 })).json;
  await app.service.exports.stop();
  const [film] = (await app.api("GET", PATH)).json;
  assert.deepEqual([film.id, film.state, film.problem], [
    two.id,
    "failed",
    "The service was stopped meanwhile.",
  ]);
  assert.deepEqual(await namesIn(join(app.paths.exportsDir, "clock")), [`${two.id}.json`]);
});

appTest("a film that is deleted while its file gets its name is gone after a restart, too", async (app) => {
  await keep(app);
  const folder = join(app.paths.exportsDir, "clock");
  const { go } = ffmpeg(app);
  const { id } = (await app.api("POST", PATH, ASKED)).json;
  go();
  while (!(await namesIn(folder)).includes(`${id}.mp4`));
  assert.equal((await app.fetch(`${PATH}/${id}`, { method: "DELETE" })).status, 204);
  await app.service.exports.stop();
  assert.deepEqual(await namesIn(folder), []);
});

appTest("a film that is deleted before it is on the disk does not come back", async (app) => {
  await keep(app);
  ffmpeg(app);
  const asking = app.api("POST", PATH, ASKED);
  const { id } = await until("it to be listed", async () => (await app.api("GET", PATH)).json[0]);
  assert.equal((await app.fetch(`${PATH}/${id}`, { method: "DELETE" })).status, 204);
  await asking;
  await app.service.exports.stop();
  assert.deepEqual(await namesIn(join(app.paths.exportsDir, "clock")), []);
});

appTest("films are made one after the other, and say that they wait", async (app) => {
  await keep(app);
  const { go } = ffmpeg(app);
  const first = (await app.api("POST", PATH, ASKED)).json;
  const second = (await app.api("POST", PATH, ASKED)).json;
  assert.deepEqual([first.state, second.state, second.progress], ["making", "waiting", 0]);
  go();
  await until("both", async () => {
    const films: { state: string }[] = (await app.api("GET", PATH)).json;
    return films.every(({ state }) => state === "done");
  });
});

appTest("what cannot be exported is said, field by field, and makes nothing", async (app) => {
  await keep(app);
  const { commands } = ffmpeg(app);
  const wrong: [unknown, number, RegExp][] = [
    [{ end: BEGIN }, 400, /^start is a time: .* Example: start=/],
    [{ start: BEGIN, end: BEGIN }, 400, /^end is later than start/],
    [{ start: BEGIN, end: BEGIN + 90_000 }, 400, /^end is at most 24 hours after start/],
    [{ ...ASKED, speed: 3 }, 400, /^speed is 1, 10 or 60\. Example: speed=10$/],
    [{ ...ASKED, start: { a: 1 } }, 400, /^start is a time/],
    [[], 400, /^start is a time/],
    [{ start: BEGIN - 500, end: BEGIN - 400 }, 404, /^Nothing is kept of /],
  ];
  for (const [body, status, message] of wrong) {
    const answer = await app.api("POST", PATH, body);
    assert.equal(answer.status, status, JSON.stringify(body));
    assert.match(answer.json.error.message, message);
  }
  assert.deepEqual([commands, (await app.api("GET", PATH)).json], [[], []]);
  assert.equal((await app.fetch(`${PATH}/..%2f..%2fstreams`, { method: "DELETE" })).status, 404);
});

appTest("a channel has twenty films at most, and films half of the past's budget", async (app) => {
  await keep(app);
  ffmpeg(app).go();
  for (let film = 0; film < 20; film++) assert.equal((await app.api("POST", PATH, ASKED)).status, 202);
  const answer = await app.api("POST", PATH, ASKED);
  assert.equal(answer.status, 409);
  assert.match(answer.json.error.message, /^There are 20 exports of this channel: delete one first\.$/);
  await until("all", async () => {
    const films: { state: string }[] = (await app.api("GET", PATH)).json;
    return films.every(({ state }) => state === "done");
  });
  await app.create({ name: "Other" });
  await writePast(pastFolder(app.paths, "other"), [{ number: 1, seconds: [BEGIN], end: BEGIN + 60 }], false);
  app.machine.space = () =>
    Promise.resolve({ totalBytes: 6000, freeBytes: 6000, totalFiles: 0, freeFiles: 0 });
  const full = await app.api("POST", PATH.replace("clock", "other"), ASKED);
  assert.equal(full.status, 507); // 160 bytes, where 150 are half of five hundredths
  assert.match(full.json.error.message, /^Exports take half of what REWIND_GB allows: delete one first\.$/);
});
