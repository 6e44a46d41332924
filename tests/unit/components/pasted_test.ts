import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { pastedLines } from "../../../components/form/several/pasted.ts";

Deno.test("several addresses become a stream each, with a name of host and path", () => {
  const text =
    "grafana.local:3000/d/abc/network-overview\nhttp://grafana.local:3000/d/xyz/power%20use.html\n" +
    "https://www.example.org/board\r\n\n192.168.1.5\n";
  assert.deepEqual(pastedLines(text, ["192.168.1.5"]), [
    { name: "grafana.local network overview", url: "http://grafana.local:3000/d/abc/network-overview" },
    { name: "grafana.local power use", url: "http://grafana.local:3000/d/xyz/power%20use.html" },
    { name: "example.org", url: "https://www.example.org/board" },
    { name: "192.168.1.5 2", url: "http://192.168.1.5" },
  ]);
});

Deno.test("words beside an address are its name", () => {
  const text = "Sales\thttps://a.example/\n- Ops, north: b.example/x\n1. <https://c.example/> \n";
  assert.deepEqual(pastedLines(text, []), [
    { name: "Sales", url: "https://a.example/" },
    { name: "Ops north", url: "https://b.example/x" },
    { name: "c.example", url: "https://c.example/" },
  ]);
});

Deno.test("an M3U playlist of pages keeps names, numbers, logos and groups", () => {
  const text = [
    '#EXTM3U x-tvg-url="https://tv.example/epg.xml"',
    '#EXTINF:-1 tvg-id="n" tvg-chno="7" tvg-logo="https://a.example/n,1.png" group-title="Ops",News, north',
    "#EXTVLCOPT:x=1",
    "https://a.example/",
    '#EXTINF:-1 tvg-name="Sales" channel-number="0" tvg-logo="logos/s.png",',
    "b.example/x",
    "",
    "not an address",
  ].join("\r\n");
  assert.deepEqual(pastedLines(text, []), [
    {
      name: "News, north",
      url: "https://a.example/",
      channelNumber: "7",
      group: "Ops",
      channelLogo: "https://a.example/n,1.png",
      leftOut: ["EXTVLCOPT x"],
    },
    { name: "Sales", url: "https://b.example/x", leftOut: ["the logo, which is not a complete web address"] },
    { name: "not an address", url: "not an address" },
  ]);
});

Deno.test("addresses on one line are several, too, and the same one twice has two names", () => {
  const lines = pastedLines("https://a.example/ https://b.example/, https://b.example/", [])!;
  assert.deepEqual(lines.map(({ name }) => name), ["a.example", "b.example", "b.example 2"]);
});

Deno.test("what is no address stays as a line of its own, also where a single address is right", () => {
  const text = "a.example/x\nnot an address\nfile:///etc/passwd b.example/x\n\nhttps://\n";
  assert.deepEqual(pastedLines(text, []), [
    { name: "a.example", url: "https://a.example/x" },
    { name: "not an address", url: "not an address" },
    { name: "file:///etc/passwd", url: "file:///etc/passwd" },
    { name: "b.example", url: "https://b.example/x" },
    { name: "https://", url: "https://" },
  ]);
  const urls = (text: string) => pastedLines(text, [])?.map(({ url }) => url) ?? null;
  assert.deepEqual(urls("a.example/x\nhtp://b.example/"), ["https://a.example/x", "htp://b.example/"]);
  assert.equal(urls("a.example/x\nnot an address"), null);
  assert.equal(urls("ftp://b.example/\nhtp://c.example/"), null);
});

Deno.test("one address, and text without addresses, is pasted as it is", () => {
  for (
    const text of [
      "",
      "https://a.example/",
      " a.example/x \n",
      "Sales https://a.example/",
      "two words",
      "a\nb\nc",
    ]
  ) assert.equal(pastedLines(text, []), null, text);
});

Deno.test("no line of a long list is lost", () => {
  const text = Array.from({ length: 5000 }, (_, n) => `https://h${n}.example/`).join("\n");
  assert.equal(pastedLines(text, [])!.length, 5000);
});

/** Lists as people have them, and what VLC, Kodi or the lists' own readers make of the channel. */
const CHANNELS: [what: string, list: string, line: Record<string, unknown>][] = [
  ["a comma before the attributes", '#EXTINF:-1, group-title="News" tvg-chno="3",First', {
    group: "News",
    channelNumber: "3",
  }],
  ["a comma before and between", '#EXTINF:-1,tvg-name="x",First, second', { name: "First, second" }],
  ["a comma before the attributes, and none behind", '#EXTINF:-1,group-title="News" First', {
    group: "News",
  }],
  ["single quotes", "#EXTINF:-1 tvg-chno='6' group-title='Sport, live',First", {
    group: "Sport, live",
    channelNumber: "6",
  }],
  ["an apostrophe in them", "#EXTINF:-1 group-title='Kid's TV',First", { group: "Kid's TV" }],
  ["quotes in quotes", '#EXTINF:-1 group-title="The "A" Team",First', { group: 'The "A" Team' }],
  ["escaped quotes", '#EXTINF:-1 group-title="The \\"A\\" Team",First', { group: 'The "A" Team' }],
  ["quotes of a document", "#EXTINF:-1 group-title=“News, late” tvg-chno=”4”,First", {
    group: "News, late",
    channelNumber: "4",
  }],
  ["no quotes", "#EXTINF:-1 tvg-id=a tvg-chno=5 group-title=Live News,First, second", {
    name: "First, second",
    group: "Live News",
    channelNumber: "5",
  }],
  ["an empty value", "#EXTINF:-1 tvg-id= tvg-chno=5 group-title=,First", { channelNumber: "5" }],
  ["no blank between", '#EXTINF:-1 tvg-id="a"group-title="B",First', { group: "B" }],
  ["capital letters", '#extinf:-1 TVG-CHNO="5" Group-Title="B",First', { group: "B", channelNumber: "5" }],
  ["blanks everywhere", '  # EXTINF: -1  group-title="B" , First ', { group: "B" }],
  ["no seconds", '#EXTINF: group-title="B",First', { group: "B" }],
  ["seconds with a fraction", "#EXTINF:12.5,First", {}],
  ["seconds alone", "#EXTINF:0,First", {}],
  ["two commas", "#EXTINF:-1,,First", {}],
  ["no comma", '#EXTINF:-1 group-title="B" First one', { name: "First one", group: "B" }],
  ["attributes behind the name", '#EXTINF:-1,First tvg-chno="5" group-title="B, C"', {
    group: "B, C",
    channelNumber: "5",
  }],
  ["quotes in the name", '#EXTINF:-1 tvg-id="a",The "Big" Show, late', { name: 'The "Big" Show, late' }],
  ["an equals sign in the name", '#EXTINF:-1 tvg-id="a",a=b, c="d"', { name: 'a=b, c="d"' }],
  ["a name like an attribute", "#EXTINF:-1,Radio=Live at 5", { name: "Radio=Live at 5" }],
  ["another, with more", '#EXTINF:-1 tvg-id="a",Audio=best of 9, late', { name: "Audio=best of 9, late" }],
  ["a comma, and attributes of one word", "#EXTINF:-1,radio=true tvg-id=a group-title=Live News,First", {
    group: "Live News",
  }],
  ["a quote that is not closed", '#EXTINF:-1 tvg-id="a" group-title="Live News,First', {
    group: "Live News",
  }],
  ["a number with zeros", '#EXTINF:-1 tvg-chno="007",First', { channelNumber: "7" }],
  ["no number", '#EXTINF:-1 tvg-chno="000",First', {}],
  ["an artist", "#EXTINF:-1,Anna - First", { name: "Anna - First" }],
  ["no name but tvg-name", '#EXTINF:-1 tvg-name="First",', {}],
  ["a name of what nobody sees", '#EXTINF:-1 tvg-name="First",\u200b\u00a0', {}],
  ["a group line", "#EXTINF:-1,First\n#EXTGRP:Lobby, hall", { group: "Lobby, hall" }],
  ["a quoted group line", '#EXTINF:-1,First\n#extgrp: "Lobby"', { group: "Lobby" }],
  ["a group and a group line", '#EXTINF:-1 group-title="A",First\n#EXTGRP:B', { group: "A" }],
  ["a group line for all that follow", "#EXTGRP:Lobby\n#EXTINF:-1,First", { group: "Lobby" }],
  ["a picture's line", "#EXTINF:-1,First\n#EXTIMG:https://a.example/l.png", {
    channelLogo: "https://a.example/l.png",
  }],
  ["comments and blank lines", "# mine\n\n#EXTINF:-1,First\n# - yours: x\n\t\n", {}],
  ["a user agent", "#EXTINF:-1,First\n#EXTVLCOPT:http-user-agent=Mine/1.0 (x)", {
    userAgent: "Mine/1.0 (x)",
  }],
  [
    "options",
    "#EXTINF:-1,First\n#EXTVLCOPT:network-caching=1000\n#EXTVLCOPT--http-reconnect=true\n#KODIPROP:inputstream.adaptive.license_key=s3cret",
    {
      leftOut: [
        "EXTVLCOPT network-caching",
        "EXTVLCOPT http-reconnect",
        "KODIPROP inputstream.adaptive.license_key",
      ],
    },
  ],
  ["a number that is none", '#EXTINF:-1 tvg-chno="7.1",First', {
    leftOut: ["the number 7.1, which is not from 1 to 9999"],
  }],
  ["what is of no use here", '#EXTINF:-1 tvg-id="a" tvg-shift="2" radio="true" catchup="default",First', {}],
  ["the rest of a line that was cut off", '-1 tvg-id="a" group-title="B",First', { group: "B" }],
];

Deno.test("names, groups and numbers are those of the playlist, however it is written", () => {
  const wrong = CHANNELS.flatMap(([what, list, line]) =>
    ["#EXTM3U\n", "\ufeff#EXTM3U\r\n", ""].flatMap((head) => {
      const text = `${head}${list}\nhttps://a.example/1\n#EXTINF:-1,Last\nhttps://a.example/2\n`;
      const expected = [{ name: "First", url: "https://a.example/1", ...line }, "Last"];
      const [first, last, ...others] = pastedLines(
        text.replaceAll("\n", head.at(-2) === "\r" ? "\r\n" : "\n"),
        [],
      )!;
      const got = [first, last?.name];
      return isDeepStrictEqual(got, expected) && others.length === 0
        ? []
        : [[what, JSON.stringify(head), first, last, others]];
    })
  );
  assert.deepEqual(wrong, []);
});

Deno.test("a row of two thousand attributes, half of them not closed, is read at once", () => {
  const row = `#EXTINF:-1,First${' tvg-id="a"'.repeat(1000)} x${' tvg-name="a'.repeat(1000)}`;
  assert.equal(pastedLines(`${row}\nhttps://a.example/`, [])!.length, 1);
});

Deno.test("addresses are those of the playlist, and what is none, or missing, is a line that says so", () => {
  const rows = [
    "https://a.example/1|User-Agent=My%20TV&Referer=https://b.example/",
    "https://a.example/?a=1|2",
    "HTTPS://A.example/x y",
    "grafana.local:3000/d",
    "b.example/x",
    "streams/one.html",
    "two.m3u8?x=1",
    "../three",
    "/four",
    "rtsp://a.example/5",
    "udp://@239.0.0.1:1234",
  ];
  const text = `#EXTM3U\r${
    rows.map((row, at) => `#EXTINF:-1,N${at}\r${row}`).join("\r")
  }\r#EXTINF:-1,Lost\r#EXTINF:-1,Last`;
  assert.deepEqual(pastedLines(text, [])!.map(({ name, url }) => [name, url]), [
    ["N0", "https://a.example/1"],
    ["N1", "https://a.example/?a=1|2"],
    ["N2", "HTTPS://A.example/x y"],
    ["N3", "http://grafana.local:3000/d"],
    ["N4", "https://b.example/x"],
    // not a host "streams": its check says that it is no complete address
    ["N5", "./streams/one.html"],
    ["N6", "./two.m3u8?x=1"],
    ["N7", "../three"],
    ["N8", "/four"],
    ["N9", "rtsp://a.example/5"],
    ["N10", "udp://@239.0.0.1:1234"],
    ["Lost", ""],
    ["Last", ""],
  ]);
  const [{ userAgent, leftOut }] = pastedLines(text, [])!;
  assert.deepEqual([userAgent, leftOut], ["My TV", ["the header Referer"]]);
});
