/** A channel that is pushed elsewhere: its settings, its key, its program, and what is told of it. */
import { strict as assert } from "node:assert";
import { streamId } from "../../lib/model/id.ts";
import { pushSocket } from "../../lib/paths.ts";
import { dirname } from "node:path";
import { appTest } from "../support/app.ts";
import { until } from "../support/same.ts";
import { aSecond, audioSettings, videoSettings } from "../support/rtmp_channel.ts";

const TARGET = { pushTo: "rtmp://tv.example.org/live", pushKey: "sesame-key" };
const ID = streamId("clock");

appTest("push: its program runs where it is wanted, and the key is told to nobody", async (app) => {
  const created = await app.create(TARGET);
  assert.deepEqual([created.pushTo, created.pushKeySet, "pushKey" in created], [TARGET.pushTo, true, false]);
  assert.ok(app.machine.supervisord.commands().some((command) => command.includes("push-clock")));
  for (const path of ["/api/streams", "/api/streams/clock", "/api/streams/export", "/"]) {
    assert.ok(!(await (await app.fetch(path)).text()).includes("sesame-key"), path);
  }
  await app.api("PATCH", "/api/streams/clock", { pushTo: "" });
  assert.match(app.machine.supervisord.commands().join(), /stop push-clock/);
});

appTest("push: the key goes to no other server or application unless it is given again", async (app) => {
  await app.create(TARGET);
  const moved = await app.api("PATCH", "/api/streams/clock", { pushTo: "rtmp://evil.example/live" });
  assert.equal(moved.status, 400);
  assert.match(moved.json.error.fields.pushKey, /was given for another server.*rtmp:\/\/evil\.example:1935/);
  const other = await app.api("PATCH", "/api/streams/clock", { pushTo: "rtmp://tv.example.org/other" });
  assert.match(other.json.error.fields.pushKey, /was given for another application/);
  const given = { pushTo: "srt://evil.example:9000", pushKey: "sesame12345" };
  assert.equal((await app.api("PATCH", "/api/streams/clock", given)).status, 200);
  assert.equal((await app.api("PATCH", "/api/streams/clock", { url: "https://other.example/" })).status, 200);
});

appTest("push: targets obey the rules of pages: no metadata, nothing of this machine", async (app) => {
  app.machine.network.resolve = (name) => Promise.resolve(name === "here.example" ? ["127.0.0.1"] : []);
  const targets = [
    ...[
      "rtmp://169.254.169.254/latest",
      "rtmp://[fd00:ec2::254]/latest",
      "rtmp://metadata.google.internal/x",
    ],
    ...[
      "rtmp://127.0.0.1:1935/live",
      "rtmp://0x7f000001/live",
      "rtmp://127.1/live",
      "rtmps://localhost/live",
    ],
    ...["srt://[::1]:9000", "srt://0.0.0.0:9000", "rtmp://here.example/live", "srt://wall:9000"],
  ];
  for (const pushTo of targets) {
    const { status, json } = await app.api("POST", "/api/streams", {
      name: "Clock",
      url: "https://clock.example.org/",
      pushTo,
    });
    assert.equal(status, 400, pushTo);
    assert.ok(json.error.fields.pushTo, pushTo);
  }
  const listener = {
    name: "Clock",
    url: "https://clock.example.org/",
    pushTo: "srt://0.0.0.0:9000?mode=listener",
  };
  assert.equal((await app.api("POST", "/api/streams", listener)).status, 201);
});

appTest("push: its program gets the channel, is no viewer, and what it reports is told", async (app) => {
  await app.create(TARGET);
  const path = pushSocket(app.paths, ID);
  await Deno.mkdir(dirname(path), { recursive: true });
  const live = app.service.fleet.get(ID);
  live.tick();
  const connect = () => Deno.connect({ transport: "unix", path }).catch(() => null);
  let program: Deno.UnixConn | null = null;
  await until("the socket", async () => (program ??= await connect()) !== null);
  const socket = program!;
  await until("the channel to be played", () => app.machine.channel.players === 1);
  app.machine.channel.send([videoSettings(), audioSettings(), ...aSecond(10_000)]);
  const buffer = new Uint8Array(64 * 1024);
  assert.ok((await socket.read(buffer))! > 188);
  assert.equal(buffer[0], 0x47, "a transport stream");
  const figures = async () => (await app.api("GET", "/api/figures")).json.clock;
  assert.equal((await figures()).viewers, 0);
  const report = (text: string) => socket.write(new TextEncoder().encode(`${text}\n`));
  const events = async () =>
    (await app.api("GET", "/api/streams/clock/events")).json.events.map(({ text }: { text: string }) => text);
  await report('{"state":"waiting","kbps":0,"problem":"the receiver does not answer","retrySeconds":4}');
  await until("the failure", async () => (await figures()).push?.state === "waiting");
  await report('{"state":"sending","kbps":1500,"problem":"","retrySeconds":0}');
  await until("it to send", async () => (await figures()).push?.kbps === 1500);
  assert.deepEqual((await events()).slice(-2), [
    "The push to rtmp://tv.example.org:1935 failed: the receiver does not answer. It is tried again.",
    "Pushed to rtmp://tv.example.org:1935.",
  ]);
  await report('{"state":"sending","kbps":-1}');
  assert.equal(await socket.read(buffer).catch(() => null), null, "what is no report ends the connection");
  socket.close();
  assert.equal((await figures()).push.state, "connecting");
  await app.api("POST", "/api/streams/clock/stop");
  live.tick();
  assert.equal((await figures()).push, null);
});
