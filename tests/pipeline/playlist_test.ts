/** Playlist, guide and the names the service answers to, with the real service. */
import { strict as assert } from "node:assert";
import { guide } from "../../lib/playlist/xmltv.ts";
import { parseM3u } from "../support/m3u.ts";
import { rawRequest } from "../support/raw_http.ts";
import { startService, type TestService } from "../support/service.ts";

const DTD = new URL("../fixtures/xmltv.dtd", import.meta.url).pathname;

const STREAMS = [
  { name: "Alpha", group: "Walls" },
  { name: 'Bra"vo, & <Sons>', group: "Departures" },
  { name: "حالة الشبكة 📺", group: "walls" },
];

Deno.test({
  name: "playlist and guide of the service",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const service = await startService({
      env: { TRUSTED_PROXIES: "127.0.0.1", ALLOWED_HOSTS: "tv.example.org, *.example.net" },
    });
    const step = async (name: string, run: (service: TestService) => Promise<void>) =>
      assert.ok(await t.step(name, () => run(service)), name);
    try {
      const ids = ["alpha", "bravo", "network"];
      for (const [at, stream] of STREAMS.entries()) {
        await service.create({ ...stream, id: ids[at], desiredState: "stopped" });
      }
      await step("it is complete, and the same at all its addresses", addresses);
      await step("HEAD tells what GET would", head);
      await step("it follows the order of the cards; a filter keeps the numbers", order);
      await step("a bad filter is told", badFilter);
      await step("its addresses lead to the channels", channels);
      await step("the guide is valid XMLTV", validGuide);
      await step("the guide stays valid whatever a stream is called", hostileGuide);
      await step("behind a proxy it has the proxy's address", behindProxy);
      await step("other names are refused", names);
      await step("pages of the public address may change things, those of others may not", changes);
    } finally {
      await service.stop();
    }
  },
});

async function read(service: TestService, path = "/playlist.m3u", headers: Record<string, string> = {}) {
  const { status, text } = await rawRequest(service.url + path, { headers });
  assert.equal(status, 200, text);
  return parseM3u(text);
}

async function addresses(service: TestService) {
  const { header, channels } = await read(service);
  assert.equal(header["x-tvg-url"], `${service.url}/epg.xml`);
  assert.deepEqual(channels.map(({ name }) => name), ["Alpha", "Bravo, & <Sons>", "حالة الشبكة 📺"]);
  assert.deepEqual(channels.map(({ attributes }) => attributes["tvg-id"]), ["alpha", "bravo", "network"]);
  assert.deepEqual(channels.map(({ attributes }) => attributes["group-title"]), [
    "Walls",
    "Departures",
    "walls",
  ]);
  assert.equal(channels[0].url, `${service.url}/api/hls/live/alpha/index.m3u8`);
  for (const path of ["/playlist.m3u8", "/api/streams/playlist"]) {
    assert.deepEqual((await read(service, path)).channels, channels);
  }
}

async function head(service: TestService) {
  for (const path of ["/playlist.m3u", "/playlist.m3u8", "/api/streams/playlist", "/epg.xml"]) {
    const [get, head] = [
      await rawRequest(service.url + path),
      await rawRequest(service.url + path, { method: "HEAD" }),
    ];
    assert.deepEqual([head.status, head.text], [200, ""]);
    for (const name of ["content-type", "cache-control", "content-disposition", "content-length"]) {
      assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`);
    }
    assert.equal(Number(get.headers.get("content-length")), new TextEncoder().encode(get.text).length);
    assert.equal(get.headers.get("cache-control"), "no-cache");
    const isGuide = path === "/epg.xml";
    assert.equal(
      get.headers.get("content-type"),
      isGuide ? "application/xml; charset=utf-8" : "audio/x-mpegurl; charset=utf-8",
    );
    if (!isGuide) assert.equal(get.headers.get("content-disposition"), 'inline; filename="playlist.m3u"');
  }
}

async function order(service: TestService) {
  const ids = ["network", "alpha", "bravo"];
  assert.equal((await service.api("PUT", "/api/streams/reorder", { ids })).status, 200);
  const numbered = async (query: string) =>
    (await read(service, `/playlist.m3u${query}`)).channels.map(({ attributes }) =>
      `${attributes["tvg-chno"]} ${attributes["tvg-id"]}`
    );
  assert.deepEqual(await numbered(""), ["1 network", "2 alpha", "3 bravo"]);
  assert.deepEqual(await numbered("?group=WALLS"), ["1 network", "2 alpha"]);
  assert.deepEqual(await numbered("?group=departures"), ["3 bravo"]);
  assert.deepEqual(await numbered("?running=1"), []);
}

async function badFilter(service: TestService) {
  const answer = await service.api("GET", "/playlist.m3u?running=maybe");
  assert.equal(answer.status, 400);
  assert.match((await answer.json()).error.fields.running, /\?running=1/);
}

async function channels(service: TestService) {
  for (const { url, attributes } of (await read(service)).channels) {
    const logo = await fetch(attributes["tvg-logo"]);
    assert.match(logo.headers.get("content-type")!, /^image\//);
    await logo.body?.cancel();
    const feed = await fetch(url); // off air, but not unknown to the app's router
    assert.equal(new URL(feed.url).pathname, `/api/hls/live/${attributes["tvg-id"]}/index.m3u8`);
    await feed.body?.cancel();
  }
}

/** What xmllint has against a guide; "" if nothing. */
async function problems(xml: string): Promise<string> {
  const lint = new Deno.Command("xmllint", {
    args: ["--nonet", "--noout", "--dtdvalid", DTD, "-"],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(20_000),
  }).spawn();
  const writer = lint.stdin.getWriter();
  await writer.write(new TextEncoder().encode(xml));
  await writer.close();
  const { code, stderr } = await lint.output();
  return code === 0 ? "" : new TextDecoder().decode(stderr) || `code ${code}`;
}

async function validGuide(service: TestService) {
  const xml = await (await service.api("GET", "/epg.xml")).text();
  assert.equal(await problems(xml), "");
  assert.equal(xml.match(/<programme /g)?.length, STREAMS.length * 48);
  const listed = [...xml.matchAll(/<channel id="([^"]+)"/g)].map(([, id]) => id);
  assert.deepEqual(listed, (await read(service)).channels.map(({ attributes }) => attributes["tvg-id"]));
  assert.ok(xml.includes("<title>Bra&quot;vo, &amp; &lt;Sons&gt;</title>"));
  // the judge is no rubber stamp
  for (
    const [good, bad] of [
      ["<display-name>Alpha</display-name><display-name>2</display-name>", ""],
      ['<channel id="alpha">', "<channel>"],
      ["<title>", "<desc>x</desc><title>"],
      ["</tv>", ""],
      ["<tv ", '<tv what="x" '],
    ]
  ) {
    assert.ok(xml.includes(good), good);
    assert.notEqual(await problems(xml.replace(good, bad)), "", good);
  }
}

async function hostileGuide() {
  const names = ["<b>&amp;'\"", "]]>", "<!--", "\u0000\u0001\uFFFE\uD800", "a\nb", "x".repeat(120), "📺", ""];
  const channels = names.map((name, at) => ({
    id: `s${at}`,
    name,
    group: name,
    number: at + 1,
    pageHost: "[::1]:8080",
    isOn: true,
  }));
  assert.equal(await problems(guide(channels, "https://tv.example.org", Date.now())), "");
  assert.equal(await problems(guide([], "https://tv.example.org", Date.now())), "");
}

async function behindProxy(service: TestService) {
  const headers = {
    "x-forwarded-proto": "https",
    "x-forwarded-host": "tv.example.org",
    "x-forwarded-port": "8443",
  };
  const { header, channels } = await read(service, "/playlist.m3u", headers);
  assert.equal(header["url-tvg"], "https://tv.example.org:8443/epg.xml");
  for (const { url, attributes } of channels) {
    assert.ok(url.startsWith("https://tv.example.org:8443/api/hls/live/"));
    assert.ok(attributes["tvg-logo"].startsWith("https://tv.example.org:8443/api/streams/"));
  }
  const epg = await rawRequest(`${service.url}/epg.xml`, { headers });
  assert.ok(epg.text.includes('<icon src="https://tv.example.org:8443/api/streams/alpha/thumb"/>'));
  assert.ok(!epg.text.includes("127.0.0.1:" + service.env.PORT));
}

async function names(service: TestService) {
  const status = async (host: string, path: string) =>
    (await rawRequest(service.url + path, { headers: { host } })).status;
  for (
    const path of [
      "/",
      "/playlist.m3u",
      "/epg.xml",
      "/api/streams",
      "/styles.css",
      "/api/hls/live/alpha/index.m3u8",
    ]
  ) {
    assert.equal(await status("evil.example", path), 421, path);
    assert.equal(await status("x.localhost:3000", path), 421, path);
    assert.equal(await status("user@evil.example", path), 400, path);
    assert.equal(await status('evil"onload=', path), 400, path);
  }
  assert.equal(await status("evil.example", "/healthz"), 200);
  const found = await read(service, "/playlist.m3u", { host: "a.example.net:81" });
  assert.equal(found.header["url-tvg"], "http://a.example.net:81/epg.xml");
  assert.ok(service.output().includes('"host":"evil.example"'), "the log tells of it");
  assert.equal(service.output().split('"host":"evil.example"').length, 2, "and that once");
}

async function changes(service: TestService) {
  const { text } = await rawRequest(`${service.url}/api/streams`);
  const post = async (headers: Record<string, string>) => {
    const answer = await rawRequest(`${service.url}/api/streams`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ url: service.pageUrl }), // without a name: 400 if it gets that far
    });
    return answer.status;
  };
  const proxied = { "x-forwarded-proto": "https", "x-forwarded-host": "tv.example.org" };
  assert.equal(await post({ ...proxied, origin: "https://tv.example.org" }), 400);
  assert.equal(await post({ ...proxied, origin: "https://evil.example" }), 403);
  assert.equal(await post({ host: "evil.example", origin: "http://evil.example" }), 421);
  assert.equal(await post({ host: "x.localhost", origin: "http://x.localhost" }), 421);
  assert.equal((await rawRequest(`${service.url}/api/streams`)).text, text, "nothing changed");
}
