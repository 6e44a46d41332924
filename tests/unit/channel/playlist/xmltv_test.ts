import assert from "node:assert/strict";
import { type Channel, channelsOf } from "../../../../lib/channel/playlist/channels.ts";
import { guideParts, guideSize } from "../../../../lib/channel/playlist/xmltv.ts";
import { publicStream } from "../../../../lib/model/schema.ts";
import { finish } from "../../../../lib/machine/tools/turns.ts";
import { aStream } from "../../../support/fixture.ts";
import { parseGuide } from "../../../support/guide.ts";

const ORIGIN = "https://tv.example.org";
const NOW = Date.UTC(2026, 1, 28, 23, 59, 59, 999);

/** The whole guide, whose size is told right. */
function guide(channels: Channel[], base: string, now: number): string {
  const whole = [...guideParts(channels, base, now)].join("");
  assert.equal(finish(guideSize(channels, base, now)), new TextEncoder().encode(whole).length);
  return whole;
}

function guideOf(...fields: Record<string, unknown>[]): string {
  return guide(channelsOf(fields.map((each) => publicStream(aStream(each)))), ORIGIN, NOW);
}

/** The times of a channel's programmes. */
function hours(xml: string, id: string): [start: string, stop: string][] {
  return parseGuide(xml).programs.filter(({ channel }) => channel === id).map((
    { start, stop },
  ) => [start, stop]);
}

Deno.test("each channel has 48 hours without a gap, from the hour that it is, in UTC", () => {
  const xml = guideOf({ id: "a" }, { id: "b", desiredState: "stopped" });
  for (const id of ["a", "b"]) {
    const found = hours(xml, id);
    assert.equal(found.length, 48);
    assert.deepEqual(found[0], ["2026-02-28T23:00:00.000Z", "2026-03-01T00:00:00.000Z"]);
    assert.deepEqual(found[1], ["2026-03-01T00:00:00.000Z", "2026-03-01T01:00:00.000Z"]);
    assert.equal(found[47][1], "2026-03-02T23:00:00.000Z");
    found.slice(1).forEach(([start], at) => assert.equal(start, found[at][1]));
  }
});

Deno.test("on the hour, the hour that begins is the first", () => {
  const xml = guide(channelsOf([publicStream(aStream())]), ORIGIN, Date.UTC(2026, 0, 1, 5));
  assert.equal(hours(xml, "clock")[0][0], "2026-01-01T05:00:00.000Z");
});

Deno.test("a channel's id is its tvg-id; a programme tells name, page, group and thumbnail", () => {
  const xml = guideOf({
    id: "a",
    name: "Alpha",
    group: "Walls",
    url: "https://grafana.example.org:8443/d/1",
    channelNumber: 1,
  });
  const logo = [{ src: `${ORIGIN}/api/streams/a/thumb?logo=0` }];
  const { channels: [channel], programs: [programme] } = parseGuide(xml);
  assert.deepEqual(
    [channel.id, channel.displayName, channel.icon],
    ["a", [{ value: "Alpha" }, { value: "1" }], logo],
  );
  assert.deepEqual(
    [programme.channel, programme.title, programme.desc, programme.category, programme.icon],
    ["a", [{ value: "Alpha" }], [{ value: "grafana.example.org:8443" }], [{ value: "Walls" }], logo],
  );
});

Deno.test("without a group there is no category", () => {
  assert.ok(!guideOf({ group: "" }).includes("category"));
});

Deno.test("of the page's address only the host is told", () => {
  const xml = guideOf({ url: "https://user:secret@grafana.example.org/d/x?token=hidden#frag" });
  assert.ok(xml.includes("<desc>grafana.example.org</desc>"));
  for (const part of ["user", "secret", "token", "hidden", "frag", "/d/x"]) {
    assert.ok(!xml.includes(part), part);
  }
});

Deno.test("markup in names is text; what XML forbids is left out", () => {
  const name = `<b>"A" & 'B'</b> ]]> <!-- x --> \u0001\u0008\uFFFE\uFFFF\uD800 📺`;
  const [channel] = channelsOf([publicStream(aStream({ group: "x" }))]);
  const xml = guide([{ ...channel, name, group: name }], ORIGIN, NOW);
  const escaped = "&lt;b&gt;&quot;A&quot; &amp; &apos;B&apos;&lt;/b&gt; ]]&gt; &lt;!-- x --&gt;  \uFFFD 📺";
  assert.ok(xml.includes(`<title>${escaped}</title>`), xml.slice(0, 600));
  assert.ok(xml.includes(`<category>${escaped}</category>`));
  // https://www.w3.org/TR/xml/#charsets
  assert.match(xml, /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]+$/u);
});

Deno.test("a name of nothing visible gives way to the id", () => {
  const [channel] = channelsOf([publicStream(aStream())]);
  assert.ok(guide([{ ...channel, name: "\u0000\uFFFF" }], ORIGIN, NOW).includes("<title>clock</title>"));
});

Deno.test("with a weekly plan, its times are the programmes, and the rest is off the air", () => {
  const plan = "Sat-Sun 12:00-13:00 https://menu.example/secret\nSun 08:00-18:00";
  const xml = guideOf({ id: "a", name: "Alpha", plan, planTimeZone: "UTC", morePages: "https://b.example/" });
  // NOW is within the last hour of a Saturday
  assert.deepEqual(
    parseGuide(xml).programs.map((
      { start, stop, title, desc },
    ) => [
      ...[start, stop].map((time) => time.slice(0, 13).replace(/\D/g, "")),
      title[0].value,
      desc[0]?.value ?? "",
    ]),
    [
      ["2026022823", "2026030108", "Off the air", ""],
      ["2026030108", "2026030112", "Alpha", "clock.example.org, b.example"],
      ["2026030112", "2026030113", "Alpha", "menu.example"],
      ["2026030113", "2026030118", "Alpha", "clock.example.org, b.example"],
      ["2026030118", "2026030223", "Off the air", ""],
    ],
  );
});
