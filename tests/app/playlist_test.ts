/** Playlist and guide, as IPTV apps get them. */
import { strict as assert } from "node:assert";
import { Timetable } from "../../lib/model/plan/timetable.ts";
import { publicStream } from "../../lib/model/schema.ts";
import { channelsOf } from "../../lib/channel/playlist/channels.ts";
import { playlist } from "../../lib/channel/playlist/m3u.ts";
import { guideParts, guideSize } from "../../lib/channel/playlist/xmltv.ts";
import { finish } from "../../lib/machine/tools/turns.ts";
import { appTest, type TestApp } from "../support/app.ts";
import { aStream } from "../support/fixture.ts";
import { guideProblems, parseGuide, readBy } from "../support/guide.ts";
import { parseM3u } from "../support/m3u.ts";
import { NAMES, seen } from "../support/m3u_readers.ts";

const PLAYLISTS = ["/playlist.m3u", "/playlist.m3u8", "/api/streams/playlist"];

const STREAMS = [
  { id: "alpha", name: "Alpha", group: "Walls" },
  { id: "bravo", name: 'Bra"vo, & <Sons>', group: "Departures" },
  { id: "network", name: "حالة الشبكة 📺", group: "walls" },
];

function playlistTest(name: string, test: (app: TestApp) => Promise<void>, env?: Record<string, string>) {
  appTest(name, async (app) => {
    for (const stream of STREAMS) await app.create({ ...stream, desiredState: "stopped" });
    await test(app);
  }, { env });
}

async function read(app: TestApp, path = "/playlist.m3u", headers: Record<string, string> = {}) {
  const answer = await app.fetch(path, { headers });
  assert.equal(answer.status, 200);
  return parseM3u(await answer.bytes());
}

playlistTest("the playlist is complete, and the same at all its addresses", async (app) => {
  const { header, channels } = await read(app);
  assert.equal(header["x-tvg-url"], "http://127.0.0.1:3000/epg.xml");
  assert.deepEqual(channels.map(({ name }) => seen(name)), ["Alpha", "Bravo, & <Sons>", "حالة الشبكة 📺"]);
  assert.deepEqual(channels.map(({ attributes }) => attributes["tvg-id"]), ["alpha", "bravo", "network"]);
  assert.deepEqual(channels.map(({ attributes }) => attributes["group-title"]), [
    "Walls",
    "Departures",
    "walls",
  ]);
  assert.equal(channels[0].url, "http://127.0.0.1:3000/api/hls/live/alpha/index.m3u8");
  for (const path of PLAYLISTS) assert.deepEqual((await read(app, path)).channels, channels);
});

playlistTest("HEAD of playlist and guide tells what GET would", async (app) => {
  for (const path of [...PLAYLISTS, "/epg.xml"]) {
    const [get, head] = [await app.fetch(path), await app.fetch(path, { method: "HEAD" })];
    assert.deepEqual([head.status, await head.text()], [200, ""]);
    for (const name of ["content-type", "cache-control", "content-disposition", "content-length"]) {
      assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`);
    }
    assert.equal(Number(get.headers.get("content-length")), (await get.bytes()).length);
    assert.equal(get.headers.get("cache-control"), "no-cache");
    const isGuide = path === "/epg.xml";
    const type = isGuide ? "application/xml; charset=utf-8" : "audio/x-mpegurl; charset=utf-8";
    assert.equal(get.headers.get("content-type"), type);
    const disposition = isGuide ? null : 'inline; filename="playlist.m3u"';
    assert.equal(get.headers.get("content-disposition"), disposition);
  }
});

playlistTest("the playlist follows the order of the cards; numbers stay with their channels", async (app) => {
  const ids = ["network", "alpha", "bravo"];
  assert.equal((await app.api("PUT", "/api/streams/reorder", { ids })).status, 200);
  const numbered = async (query: string) =>
    (await read(app, `/playlist.m3u${query}`)).channels.map(({ attributes }) =>
      `${attributes["tvg-chno"]} ${attributes["tvg-id"]}`
    );
  assert.deepEqual(await numbered(""), ["3 network", "1 alpha", "2 bravo"]);
  assert.deepEqual(await numbered("?group=WALLS"), ["3 network", "1 alpha"]);
  assert.deepEqual(await numbered("?running=1"), []);
});

playlistTest("a bad filter of the playlist is a 400", async (app) => {
  const { status, json } = await app.api("GET", "/playlist.m3u?running=maybe");
  assert.equal(status, 400);
  assert.match(json.error.fields.running, /\?running=1/);
});

const FORWARDED = {
  "x-forwarded-proto": "https",
  "x-forwarded-host": "tv.example.org",
  "x-forwarded-port": "8443",
};

playlistTest("behind a trusted proxy, playlist and guide have the proxy's address", async (app) => {
  const { header, channels } = await read(app, "/playlist.m3u", FORWARDED);
  assert.equal(header["url-tvg"], "https://tv.example.org:8443/epg.xml");
  for (const { url, attributes } of channels) {
    assert.ok(url.startsWith("https://tv.example.org:8443/api/hls/live/"));
    assert.ok(attributes["tvg-logo"].startsWith("https://tv.example.org:8443/api/streams/"));
  }
  const epg = await (await app.fetch("/epg.xml", { headers: FORWARDED })).text();
  assert.ok(epg.includes('<icon src="https://tv.example.org:8443/api/streams/alpha/thumb?logo=0"/>'));
  assert.ok(!epg.includes("127.0.0.1"));
}, { TRUSTED_PROXIES: "127.0.0.1", ALLOWED_HOSTS: "tv.example.org" });

/** The channels that Python's SAX finds that loads what a document names, as Java's parsers do by themselves. */
const SAX = `
import sys, xml.sax
class Channels(xml.sax.ContentHandler):
  ids = []
  def startElement(self, name, attributes):
    if name == "channel": self.ids.append(attributes["id"])
parser = xml.sax.make_parser()
parser.setFeature(xml.sax.handler.feature_external_ges, True)
parser.setContentHandler(Channels())
parser.parse(sys.stdin.buffer)
print(",".join(Channels.ids))
`;

playlistTest("the guide is valid XMLTV of the playlist's channels", async (app) => {
  const xml = await (await app.fetch("/epg.xml")).text();
  assert.equal(await guideProblems(xml), "");
  const { channels, programs } = parseGuide(xml);
  assert.equal(programs.length, STREAMS.length * 48);
  const listed = (await read(app)).channels.map((
    { attributes },
  ) => [attributes["tvg-id"], attributes["tvg-chno"]]);
  assert.deepEqual(channels.map(({ id, displayName }) => [id, displayName[1].value]), listed);
  assert.ok(xml.includes("<title>Bra&quot;vo, &amp; &lt;Sons&gt;</title>"));
});

playlistTest("the guide is sent again when the hour, the list or the address is another", async (app) => {
  let etag = "";
  const status = async (host = "127.0.0.1:3000") => {
    const headers = { "if-none-match": etag, host };
    const answer = await app.fetch("/epg.xml", { headers });
    assert.equal((await answer.bytes()).length > 0, answer.status === 200);
    etag = answer.headers.get("etag")!;
    assert.match(etag, /^"[\w-]{43}"$/);
    return answer.status;
  };
  assert.deepEqual([await status(), await status()], [200, 304]);
  app.machine.advance(60 * 60_000);
  assert.deepEqual([await status(), await status()], [200, 304], "another hour");
  await app.api("PATCH", "/api/streams/alpha", { name: "Omega" });
  assert.deepEqual([await status(), await status()], [200, 304], "another name");
  assert.deepEqual(
    [await status("localhost:3000"), await status("localhost:3000")],
    [200, 304],
    "another host",
  );
});

const PLANNED = {
  url: "https://a.example/<b>",
  pageSeconds: 30,
  planTimeZone: "",
  plan: "daily 12:00-13:00 https://menu.example/\nMon-Fri 08:00-18:00",
};

Deno.test("the guide is valid XMLTV whatever a stream is called, and without any", async () => {
  const names = ["<b>&amp;'\"", "]]>", "<!--", "\u0000\u0001\uFFFE\uD800", "a\nb", "x".repeat(120), "📺", ""];
  const channels = names.map((name, at) => ({
    id: `s${at}`,
    name,
    group: name,
    number: at + 1,
    pageHosts: "[::1]:8080",
    // every other one has a plan, with times that are off the air
    timetable: () =>
      at % 2 ? null : new Timetable({ ...PLANNED, morePages: "https://b.example/?a&b" }, "UTC"),
    logo: at % 3 ? "" : `https://x.example/?a&b=<${at}>'`,
    logoOf: 0,
    isOnDemand: false,
    isOn: true,
    pastHours: 0,
  }));
  for (const some of [channels, []]) {
    const parts = guideParts(some, "https://tv.example.org", Date.UTC(2026, 0, 5, 12));
    assert.equal(await guideProblems([...parts].join("")), "");
    const pasts = new Map(some.map(({ id }, at) => [id, Date.UTC(2026, 0, 4, at)]));
    const whole = [...guideParts(some, "https://tv.example.org", Date.UTC(2026, 0, 5, 12), pasts)].join("");
    assert.equal(await guideProblems(whole), "");
    const size = finish(guideSize(some, "https://tv.example.org", Date.UTC(2026, 0, 5, 12), pasts));
    assert.equal(size, new TextEncoder().encode(whole).length);
  }
});

Deno.test("playlist and guide of 1,000 channels are read by the field's parsers, and valid", async () => {
  const [one] = channelsOf([publicStream(aStream())]);
  const names = Array.from({ length: 1000 }, (_, at) => `${at} Screen, ${NAMES[at % NAMES.length]}`);
  const channels = names.map((name, at) => ({ ...one, name, id: `s${at}`, group: "Ops; a", number: at + 1 }));
  const items = parseM3u(playlist(channels, "https://tv.example.org")).channels;
  assert.deepEqual(items.map(({ name }) => seen(name)), names);
  const xml = [...guideParts(channels, "https://tv.example.org", Date.UTC(2026, 0, 5, 12))].join("");
  assert.equal(await guideProblems(xml), "");
  // epg-parser takes ten seconds for it
  const { stdout, stderr } = await readBy("/usr/bin/python3", ["-c", SAX], xml);
  assert.equal(stderr, "", "whatever it would load");
  assert.deepEqual(stdout.trim().split(","), items.map(({ attributes }) => attributes["tvg-id"]));
  assert.equal(xml.match(/<programme /g)!.length, 48_000);
});
