/** The tuner, by a client that does as Plex, Jellyfin, Emby and Channels DVR do: find it, list it, tune. */
import { strict as assert } from "node:assert";
import { Buffer } from "node:buffer";
import { isDeviceId } from "../../lib/channel/tuner/device.ts";
import { appTest, sessionCookie, type TestApp, testApp } from "../support/app.ts";
import { logged } from "../support/logged.ts";
import { until } from "../support/same.ts";

const DISCOVER = Buffer.from("0002000c0104ffffffff0204ffffffff73cc7d8f", "hex");
const SEARCH = Buffer.from(
  'M-SEARCH * HTTP/1.1\r\nHost: 239.255.255.250:1900\r\nMan: "ssdp:discover"\r\nST: upnp:rootdevice\r\n\r\n',
);

/** A client that was given a tuner's address. @param fetch asks the service. */
function tunerClient(app: TestApp, prefix = "") {
  const pathOf = (url: string) => url.replace("http://127.0.0.1:3000", "");
  const tuned = new Set<ReadableStreamDefaultReader>();
  return {
    tuned,
    async discover() {
      return await (await app.fetch(`${prefix}/hdhr/discover.json`)).json();
    },
    async lineup(): Promise<{ GuideNumber: string; GuideName: string; URL: string }[]> {
      const { LineupURL } = await this.discover();
      return await (await app.fetch(pathOf(LineupURL))).json();
    },
    /** The reader of a channel; the status and the device's error code where it is refused. */
    async tune(number: number) {
      const channel = (await this.lineup()).find(({ GuideNumber }) => GuideNumber === String(number))!;
      const answer = await app.fetch(pathOf(channel.URL));
      if (answer.status === 200) {
        const reader = answer.body!.getReader();
        tuned.add(reader);
        return reader;
      }
      await answer.body?.cancel();
      return `${answer.status} ${answer.headers.get("x-hdhomerun-error")}`;
    },
    async leave(reader: ReadableStreamDefaultReader | string) {
      if (typeof reader === "string") throw new Error(`not tuned: ${reader}`);
      tuned.delete(reader);
      await reader.cancel();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...tuned].map((reader) => reader.cancel()));
    },
  };
}

appTest("tuner: discover, lineup and scan are a device's, with the playlist's numbers", async (app) => {
  await app.create({ name: "Clock" });
  await app.create({ name: "Map\u2028two" });
  await using client = tunerClient(app);
  const device = await client.discover();
  assert.ok(isDeviceId(device.DeviceID), device.DeviceID);
  assert.equal(device.BaseURL, "http://127.0.0.1:3000/hdhr");
  assert.equal(device.TunerCount, 8, "four for each of two processors");
  assert.deepEqual((await client.lineup()).map(({ GuideNumber, GuideName }) => [GuideNumber, GuideName]), [
    ["1", "Clock"],
    ["2", "Map two"],
  ]);
  const status = await (await app.fetch("/hdhr/lineup_status.json")).json();
  assert.deepEqual([status.ScanInProgress, status.ScanPossible], [0, 1]);
  const scan = await app.fetch("/hdhr/lineup.post?scan=start&source=Cable", { method: "POST" });
  assert.equal(scan.status, 200);
  const xml = await app.fetch("/hdhr/device.xml");
  assert.equal(xml.headers.get("content-type"), "application/xml; charset=utf-8");
  assert.ok((await xml.text()).includes(`<serialNumber>${device.DeviceID}</serialNumber>`));
  // the guide names a channel by its number, as clients of tuners match it
  const guide = await (await app.fetch("/epg.xml")).text();
  assert.ok(guide.includes("<display-name>Clock</display-name><display-name>1</display-name>"));
});

appTest(
  "tuner: a channel is tuned and changed; eight at once, and a ninth is refused as a device does",
  async (app) => {
    for (let at = 1; at <= 9; at++) await app.create({ name: `Channel ${at}` });
    await using client = tunerClient(app);
    const readers = [];
    for (let number = 1; number <= 8; number++) readers.push(await client.tune(number));
    assert.equal(app.service.relays.tuners, 8);
    assert.equal(await client.tune(9), "503 805 All Tuners In Use");
    // others watch as before: only the tuner's clients are limited
    const other = await app.fetch("/api/ts/channel-9");
    assert.equal(other.status, 200);
    await other.body!.cancel();
    await client.leave(readers[0]);
    await until("a tuner to be free", () => app.service.relays.tuners === 7);
    assert.equal(typeof await client.tune(9), "object");
  },
);

appTest("tuner: what cannot be tuned is refused with the device's own words", async (app) => {
  await app.create({ name: "Clock", desiredState: "stopped" });
  await using client = tunerClient(app);
  assert.equal(await client.tune(1), "503 807 No Video Data");
  for (const path of ["gone", "clock%2f", "..%2fclock", "%00", "clock/x"]) {
    const answer = await app.fetch(`/hdhr/tune/${path}`);
    await answer.body?.cancel();
    assert.equal(answer.status, 404, path);
  }
  const head = await app.fetch("/hdhr/tune/clock", { method: "HEAD" });
  assert.equal(head.status, 503);
  assert.equal(app.service.relays.tuners, 0);
});

Deno.test("tuner: with a login a token opens its own channels, and nothing else is answered or announced", async () => {
  const env = { AUTH_USER: "anna", AUTH_PASS: "correct horse", TUNERS: "1" };
  await using app = await testApp({ env });
  await app.create({ name: "Clock", group: "Walls" });
  await app.create({ name: "Other" });
  for (const path of ["/hdhr/discover.json", "/hdhr/lineup.json", "/hdhr/tune/clock", "/hdhr/device.xml"]) {
    const answer = await app.fetch(path);
    assert.equal(answer.status, 401, path);
    assert.equal(answer.headers.get("content-type"), "application/json", path);
    await answer.body?.cancel();
  }
  const cookie = { cookie: sessionCookie(app.service) };
  assert.equal((await app.fetch("/hdhr/lineup_status.json", { headers: cookie })).status, 200);
  const { json: { token } } = await app.api("POST", "/api/access-tokens", { name: "Plex", group: "Walls" });
  await using client = tunerClient(app, `/t/${token}`);
  const device = await client.discover();
  assert.deepEqual([device.BaseURL, device.TunerCount], [`http://127.0.0.1:3000/t/${token}/hdhr`, 1]);
  const lineup = await client.lineup();
  assert.deepEqual(lineup.map(({ URL }) => URL), [`http://127.0.0.1:3000/t/${token}/hdhr/tune/clock`]);
  assert.equal(typeof await client.tune(1), "object");
  assert.equal(await client.tune(1), "503 805 All Tuners In Use");
  const scan = await app.fetch(`/t/${token}/hdhr/lineup.post?scan=start`, { method: "POST" });
  assert.equal(scan.status, 200);
  for (
    const [method, path] of [
      ["GET", `/t/${token}/hdhr/tune/other`],
      ["GET", `/t/${token}/hdhr/tune/clock%2f`],
      ["GET", `/t/${token}/hdhr/lineup.post`],
      ["POST", `/t/${token}/hdhr/tune/clock`],
      ["POST", `/t/${token}/hdhr/lineup.json`],
      ["GET", `/t/${token}/hdhr`],
      ["GET", "/t/wrong/hdhr/discover.json"],
    ]
  ) {
    const answer = await app.fetch(path, { method });
    await answer.body?.cancel();
    assert.equal(answer.status, 404, `${method} ${path}`);
  }
  app.service.start();
  await app.service.tuner.settled();
  assert.equal(app.machine.datagram(65001, DISCOVER, "192.0.2.2"), undefined);
});

/** The discovery of a service with these settings: its answer to a client's request, as text. */
async function announced(env: Record<string, string>, isBridged = false): Promise<string | undefined> {
  await using app = await testApp({ env });
  app.machine.isBridged = () => Promise.resolve(isBridged);
  app.service.start();
  await app.service.tuner.settled();
  const answers = app.machine.datagram(65001, DISCOVER, "192.0.2.2");
  return answers && Buffer.concat(answers).toString("latin1");
}

Deno.test("tuner: a search of the local network is answered with the address that the client reaches", async () => {
  await using app = await testApp();
  app.service.start();
  await app.service.tuner.settled();
  const { DeviceID } = await (await app.fetch("/hdhr/discover.json")).json();
  const [reply, ...more] = app.machine.datagram(65001, DISCOVER, "192.0.2.2")!;
  assert.equal(more.length, 0);
  assert.ok(Buffer.from(reply).includes(`http://192.0.2.2:${app.service.config.PORT}/hdhr`));
  assert.ok(Buffer.from(reply).includes(Buffer.from(DeviceID, "hex")));
  const [found] = app.machine.datagram(1900, SEARCH, "192.0.2.2")!;
  assert.match(Buffer.from(found).toString(), /LOCATION: http:\/\/192\.0\.2\.2:\d+\/hdhr\/device\.xml/);
  assert.deepEqual(app.machine.datagram(65001, SEARCH, "192.0.2.2"), []);
  // a flood gets no more than so many answers of one second
  let answers = 0;
  for (let at = 0; at < 500; at++) answers += app.machine.datagram(65001, DISCOVER, "192.0.2.2")!.length;
  assert.ok(answers <= 100, String(answers));
});

Deno.test("tuner: it is announced where clients can use it, and nowhere else", async () => {
  assert.match((await announced({ PUBLIC_URL: "https://tv.example" }))!, /https:\/\/tv\.example\/hdhr/);
  assert.equal(await announced({ TUNER_DISCOVERY: "off" }), undefined);
  assert.equal(await announced({ HOST: "127.0.0.1" }), undefined);
  assert.equal(await announced({}, true), undefined);
  assert.equal(
    await announced({ HOST: "10.9.9.9" }),
    "",
    "it listens there, and this client comes elsewhere",
  );
});

Deno.test("tuner: the device's ID outlives the service, and a broken file makes another", async () => {
  await using app = await testApp();
  const file = app.service.paths.tunerFile;
  const id = await Deno.readTextFile(file);
  assert.ok(isDeviceId(id));
  await using again = await testApp({ dir: app.dir });
  const { DeviceID } = await (await again.fetch("/hdhr/discover.json")).json();
  assert.equal(DeviceID, id);
  // what is no ID is replaced, and a file that cannot be written keeps nothing from starting
  await Deno.writeTextFile(file, "12345678");
  await using other = await testApp({ dir: app.dir });
  const made = (await (await other.fetch("/hdhr/discover.json")).json()).DeviceID;
  assert.ok(isDeviceId(made) && made !== id, made);
  await Deno.remove(file);
  await Deno.mkdir(file);
  await logged(async () => {
    await using blocked = await testApp({ dir: app.dir });
    assert.ok(isDeviceId((await (await blocked.fetch("/hdhr/discover.json")).json()).DeviceID));
  });
});
