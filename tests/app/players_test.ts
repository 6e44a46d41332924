/** The pages of the players: their addresses, what they may reach, and what unknown streams get. */
import { strict as assert } from "node:assert";
import { type TestApp, testApp, type TestAppOptions } from "../support/app.ts";
import { PLAYERS } from "../support/player_page.ts";

function playersTest(name: string, test: (app: TestApp) => Promise<void>, options?: TestAppOptions): void {
  Deno.test(name, async () => {
    await using app = await testApp(options);
    await app.create({ desiredState: "stopped" });
    await test(app);
  });
}

playersTest("the minimal player has two addresses", async (app) => {
  for (const id of ["clock", "nobody"]) {
    const answers = await Promise.all(
      [`/player/${id}.html`, `/api/player-html/${id}`].map((path) => app.fetch(path)),
    );
    const [one, other] = await Promise.all(answers.map((answer) => answer.text()));
    assert.equal(one, other);
    assert.deepEqual(answers.map(({ status }) => status), id === "clock" ? [200, 200] : [404, 404]);
    assert.match(answers[1].headers.get("content-type")!, /^text\/html/);
  }
});

playersTest("the TV player may reach its own host's media server, other pages may not", async (app) => {
  const policy = async (path: string) => {
    const answer = await app.fetch(path);
    await answer.text();
    return answer.headers.get("content-security-policy")!.split("; ");
  };
  const rules = await policy("/static/clock");
  assert.ok(rules.includes("connect-src 'self' http://127.0.0.1:8899"), rules.join());
  assert.ok(rules.includes("media-src 'self' blob: http://127.0.0.1:8899"), rules.join());
  assert.ok(rules.includes("default-src 'self'") && rules.includes("frame-ancestors 'self'"));
  for (const path of ["/player/clock", "/player/clock.html", "/"]) {
    assert.doesNotMatch((await policy(path)).join(), /8899/, path);
  }
}, { env: { MEDIA_PORT: "8899" } });

for (const [player, path] of Object.entries(PLAYERS)) {
  playersTest(`${player}: an unknown stream is a page that says so`, async (app) => {
    for (const [id, text] of [["nobody", "nobody"], ["__proto__", "__proto__"], ["%3Cb%3E", "&lt;b>"]]) {
      const answer = await app.fetch(path(id));
      const html = await answer.text();
      assert.equal(answer.status, 404);
      assert.match(html, /<h1[^>]*>No such stream<\/h1>/);
      assert.ok(html.includes(`“${text}”`), html);
    }
  });
}

playersTest("the TV player's list has the playlist's numbers, names and states", async (app) => {
  await app.create({ name: "News", desiredState: "stopped" });
  const before = (await app.api("GET", "/api/channels")).json;
  assert.deepEqual(before, [
    { number: 1, id: "clock", name: "Clock", state: "stopped" },
    { number: 2, id: "news", name: "News", state: "stopped" },
  ]);
  await app.api("PUT", "/api/streams/reorder", { ids: ["news", "clock"], renumber: true });
  const { json, headers } = await app.api("GET", "/api/channels");
  assert.deepEqual(json.map(({ number, id }: { number: number; id: string }) => [number, id]), [
    [1, "news"],
    [2, "clock"],
  ]);
  assert.equal(headers.get("cache-control"), "no-store");
});

playersTest(
  "a channel's own number and logo are the same in playlist, guide, tuner and TV player",
  async (app) => {
    await app.api("PATCH", "/api/streams/clock", { channelNumber: 2 });
    await app.create({
      name: "News",
      desiredState: "stopped",
      channelNumber: 1,
      channelLogo: "nas.local/n.png?a&b",
    });
    const text = async (path: string) => await (await app.fetch(path)).text();
    const playlist = await text("/playlist.m3u");
    assert.deepEqual(playlist.match(/tvg-id="\w+"|tvg-chno="\d+"/g), [
      ...['tvg-id="clock"', 'tvg-chno="2"', 'tvg-id="news"', 'tvg-chno="1"'],
    ]);
    assert.match(playlist, /tvg-logo="http:\/\/nas\.local\/n\.png\?a&b" /);
    const guide = await text("/epg.xml");
    assert.match(
      guide,
      /<display-name>News<\/display-name><display-name>1<\/display-name><icon src="http:\/\/nas\.local\/n\.png\?a&amp;b"/,
    );
    const { json: lineup } = await app.api("GET", "/hdhr/lineup.json");
    assert.deepEqual(lineup.map((one: Record<string, string>) => [one.GuideName, one.GuideNumber]), [
      ...[["Clock", "2"], ["News", "1"]],
    ]);
    const { json: listed } = await app.api("GET", "/api/channels");
    const stopped = { state: "stopped" };
    assert.deepEqual(listed, [
      { number: 1, id: "news", name: "News", logo: "http://nas.local/n.png?a&b", ...stopped },
      { number: 2, id: "clock", name: "Clock", ...stopped },
    ]);
    const { headers, body } = await app.fetch("/static/clock");
    await body?.cancel();
    assert.match(headers.get("content-security-policy")!, /img-src 'self' data: blob: http:\/\/nas\.local;/);
    const { status, json } = await app.api("PATCH", "/api/streams/clock", { channelNumber: 1 });
    assert.equal(status, 400);
    assert.match(json.error.fields.channelNumber, /"News" has the channel number 1\. .* Example: 3$/);
    const { json: exported } = await app.api("GET", "/api/streams/export");
    const { channelNumber, channelLogo } = exported.streams[1];
    assert.deepEqual([channelNumber, channelLogo], [1, "http://nas.local/n.png?a&b"]);
  },
);

playersTest(
  "channels keep their numbers when others are deleted and moved, in all lists at once",
  async (app) => {
    for (const name of ["B", "C", "D"]) await app.create({ name, desiredState: "stopped" });
    const numbers = async () => {
      const playlist = await (await app.fetch("/playlist.m3u")).text();
      const guide = await (await app.fetch("/epg.xml")).text();
      const { json: lineup } = await app.api("GET", "/hdhr/lineup.json");
      const found = [
        Array.from(
          playlist.matchAll(/tvg-id="(\w+)".*tvg-chno="(\d+)"/g),
          ([, id, number]) => `${id}${number}`,
        ),
        Array.from(
          guide.matchAll(/<channel id="(\w+)">.*?<display-name>(\d+)</g),
          ([, id, number]) => `${id}${number}`,
        ),
        lineup.map((one: Record<string, string>) => `${one.GuideName.toLowerCase()}${one.GuideNumber}`),
      ].map((list) => list.join(" "));
      assert.equal(new Set(found).size, 1, found.join(" | "));
      return found[0];
    };
    assert.equal(await numbers(), "clock1 b2 c3 d4");
    await app.api("DELETE", "/api/streams/clock");
    assert.equal(await numbers(), "b2 c3 d4");
    await app.api("PUT", "/api/streams/reorder", { ids: ["d", "b", "c"] });
    assert.equal(await numbers(), "d4 b2 c3");
    await app.create({ name: "E", desiredState: "stopped" });
    assert.equal(await numbers(), "d4 b2 c3 e5");
    await app.api("PUT", "/api/streams/reorder", { ids: ["d", "b", "c", "e"], renumber: true });
    assert.equal(await numbers(), "d1 b2 c3 e4");
  },
);

playersTest(
  "sites that a setting names may show players and screens of walls in frames, and nothing else",
  async (app) => {
    const ancestors = async (path: string) => {
      const answer = await app.fetch(path);
      await answer.body?.cancel();
      const [rule] = /frame-ancestors [^;]*/.exec(answer.headers.get("content-security-policy")!)!;
      return `${rule} ${answer.headers.get("x-frame-options")}`;
    };
    const paths = [
      "/player/clock",
      "/player/clock.html",
      "/static/clock",
      "/api/player-html/clock",
      "/wall?layout=running",
    ];
    for (const path of paths) {
      assert.equal(
        await ancestors(path),
        "frame-ancestors 'self' https://home.example.org http://homarr.lan:7575 null",
        path,
      );
    }
    for (
      const path of [
        "/",
        "/wall",
        "/vnc/clock",
        "/streams/clock/log",
        "/api/streams",
        "/login",
        "/styles.css",
      ]
    ) {
      assert.equal(await ancestors(path), "frame-ancestors 'self' SAMEORIGIN", path);
    }
  },
  { env: { FRAMED_BY: "https://home.example.org/, http://homarr.lan:7575" } },
);
