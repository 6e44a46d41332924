import assert from "node:assert/strict";
import { freeId, slug, STREAM_ID, streamId } from "../../../lib/model/id.ts";
import {
  fieldProblems,
  newStream,
  parseBitrate,
  parseSeconds,
  publicStream,
  streamFields,
} from "../../../lib/model/schema.ts";
import { isSecret } from "../../../lib/model/secrets.ts";
import { aStream } from "../../support/fixture.ts";

/** The message about one field, or null when it is accepted. */
function problem(field: string, value: unknown): string | null {
  const result = newStream.safeParse({ name: "Clock", url: "https://example.org/", [field]: value });
  return result.success ? null : fieldProblems(result.error)[field] ?? "another field";
}

type Table = [field: string, good: unknown[], bad: unknown[]];
const FIELDS: Table[] = [
  ["name", ["G", " Grafana ", "ü".repeat(120), "<b>", "a\nb"], ["", "  ", "\n", "x".repeat(121), 5, null]],
  [
    "id",
    ["a", "0", "grafana-2", "constructor", "a".repeat(63)],
    [
      "",
      "A",
      "-a",
      "--x",
      "../x",
      "a/b",
      "a.b",
      "%2e",
      "%2e%2e",
      "__proto__",
      "[program:x]",
      "$(x)",
      "a\n",
      "a b",
    ]
      .concat(["a\0", "a?b", "a#b", "ä", "a".repeat(64), "a\\b", "'x'", '"x"']),
  ],
  [
    "resolution",
    ["160x90", "1280x720", "3840x2160", " 1920x1080 ", "1280X720", "1920×1080", "1080p", "4k"],
    [
      "",
      "1280",
      "1281x720",
      "1280x721",
      "158x90",
      "160x88",
      "7680x4320",
      "-1280x720",
      "1280x720;",
      720,
    ],
  ],
  ["scale", ["640x360"], ["0x0", "640x361", "640x360,hflip"]],
  ["fps", [1, 60, "25"], [0, 61, 2.5, "fast", NaN, true, [25], {}]],
  ["channelNumber", ["", 0, 1, "42", 9999], [-1, 10_000, 1.5, "five", null, [5]]],
  [
    "channelLogo",
    ["", "https://a.example/l.png", "nas.local/l.png", 'http://[::1]:8080/x?y=1&z="', " https://a.example "],
    [
      "logo",
      "data:image/png;base64,AA",
      "javascript:alert(1)",
      "file:///l.png",
      "//a.example/l.png",
      "https://a.example/a b",
      "https://user:pass@a.example/l.png",
      "https://a.example/\n#EXTINF",
      `https://a.example/${"x".repeat(1000)}`,
      5,
    ],
  ],
  ["gop", [0, 600], [-1, 601, 1.5, [5]]],
  ["threads", [0, 64], [-1, 65]],
  ["memoryLimitMb", [300, 65536, "2000"], [299, 65537, 0, -1, 1500.5, "1500M", null]],
  [
    "bitrate",
    ["50k", "1500k", "1.5M", "800000", 2_500_000, "100M"],
    ["", "49k", "101M", "fast", "1500k -f", "1500kb", "-1k", "1e6", 0, -1, null, "1500k\n-y"],
  ],
  ["bufsize", ["3000k"], ["0"]],
  ["delay", [0, 5, "15s", "500ms", "2m", 600], [-1, 601, "601", "soon", "", null, true]],
  ["preset", ["superfast", "veryslow"], ["warpspeed", "", "ultrafast -y"]],
  ["tune", ["none", "fastdecode"], ["loud"]],
  ["audio", [true, "true", "off"], ["yes", 1, null]],
  ["autoReloadInterval", [0.1, 10080], [0, 10081, "often", true]],
  ["onDemand", [true, "true", "off"], ["yes", 1, null]],
  ["rewind", [true, "true", "off"], ["yes", 1, null]],
  ["rewindFor", ["operators", "viewers"], ["", "all", "admins", true, null]],
  ["onDemandMinutes", [0.1, "5", 1440], [0, 1441, "soon", null]],
  ["morePages", ["", "a.example 20\r\nhttps://b.example/"], [
    "word",
    "https://a.example 4",
    "file:///x",
    5,
    null,
  ]],
  ["pageSeconds", [5, "30", 86400], [4, 86401, 7.5, "soon", null]],
  ["plan", ["", "Mon-Fri 08:00-18:00\r\ndaily 20:00-22:00 a.example"], [
    "Mon",
    "Mon 8-18",
    "Mon 08:00-08:00",
    5,
    null,
  ]],
  ["planTimeZone", ["", "Europe/Berlin"], ["Mars", "+01:00", 5]],
  ["zoom", [25, "150", 500], [24, 501, "big", null]],
  ["css", ["", "a { color: red }\r\n", "x".repeat(20_000)], ["x".repeat(20_001), 5]],
  ["js", ["", "alert(1)"], ["x".repeat(20_001), null]],
  ["hideSelectors", ["", "#a\n .b > c[d='e']\n", "a:has(b)"], [
    "a { }",
    "</style>",
    "a/*",
    "x".repeat(501),
    5,
  ]],
  ["userAgent", ["", "Wall/1.0 (TV)"], ["a\nb", "Größe", "x".repeat(513), null]],
  ["language", ["", "de", "de-DE, en", "zh-Hant-TW"], ["german language", "de_DE", "-", 5]],
  ["timeZone", ["", "Europe/Berlin", "UTC"], ["Berlin", "+01:00", "Mars/Olympus", 5]],
  ["colorScheme", ["auto", "dark", "light"], ["black", "", null]],
  [
    "extraHeaders",
    ["", "X-Key: a: b\n\nAuthorization: Bearer x"],
    [
      "X-Key",
      "X Key: 1",
      "Host: a",
      "cookie: a",
      "Sec-Fetch-Site: none",
      "X-Key: \u4e00",
      5,
      "a: 1\n".repeat(51),
    ],
  ],
  ["extraCookies", ["", "a=1\nb=c=d"], ["a", "a=1; Path=/", "a b=1", "=1", 'a="x"', 5]],
  ["desiredState", ["stopped"], ["paused"]],
  ["user", ["", "--x", "$(x)"], [5, "u".repeat(1025)]],
  ["pass", ['"\\%', "p".repeat(1024)], [null, "p".repeat(1025)]],
];

for (const [field, good, bad] of FIELDS) {
  Deno.test(`${field}: good values are taken, bad ones get a message of their own`, () => {
    for (const value of good) assert.equal(problem(field, value), null, JSON.stringify(value));
    for (const value of bad) {
      const message = problem(field, value);
      assert.ok(message, `${JSON.stringify(value)} was taken`);
      assert.doesNotMatch(message, /^Invalid|another field/, JSON.stringify(value));
    }
  });
}

Deno.test("values are normalized", () => {
  const stream = aStream({
    name: " a\u2028b\n",
    url: " https://a ",
    delay: "15s",
    bitrate: 2_500_000,
    audio: "off",
  });
  const { name, url, delay, bitrate, audio } = stream;
  assert.deepEqual({ name, url, delay, bitrate, audio }, {
    name: "a b",
    url: "https://a",
    delay: 15,
    bitrate: "2500k",
    audio: false,
  });
  assert.equal(streamFields.parse({ name: "x", url: "http://a" }).resolution, "1280x720");
});

Deno.test("rates and times", () => {
  assert.deepEqual(["1500k", "1.5M", "2m", "800000", "x", "1500 k"].map(parseBitrate), [
    15e5,
    15e5,
    2e6,
    8e5,
    null,
    null,
  ]);
  assert.deepEqual(["15s", "15", "500ms", "2m", "1 s", "-1", "1h"].map(parseSeconds), [
    15,
    15,
    0.5,
    120,
    1,
    NaN,
    NaN,
  ]);
});

Deno.test("any name gives a valid id, and a free one", () => {
  for (
    const name of [
      "Grafana – Übersicht",
      "日本",
      "",
      "--x",
      "../..",
      "__proto__",
      "x".repeat(200),
      "Straße ß",
    ]
  ) {
    assert.match(freeId(slug(name), new Set([slug(name)])), STREAM_ID, name);
  }
  assert.equal(freeId(streamId("a"), new Set(["a", "a-2"])), "a-3");
});

Deno.test("what is wrong with a secret is told without it", () => {
  for (const field of ["extraHeaders", "extraCookies"]) {
    assert.doesNotMatch(problem(field, "Host: s3cret\ns3cret value") ?? "s3cret", /s3cret/, field);
  }
});

Deno.test("the public stream never holds a secret, only whether there is one", () => {
  assert.equal((publicStream(aStream({ custom: 1 })) as Record<string, unknown>).custom, 1);
  const secrets = { pass: "s3cret", extraHeaders: "X-Key: s3cret", extraCookies: "key=s3cret" };
  for (const [field, secret] of Object.entries(secrets)) {
    const shown = publicStream(aStream({ [field]: secret })) as Record<string, unknown>;
    assert.deepEqual([shown[`${field}Set`], field in shown], [true, false], field);
    assert.ok(!JSON.stringify(shown).includes("s3cret"), field);
    assert.equal((publicStream(aStream()) as Record<string, unknown>)[`${field}Set`], false);
  }
});

const streamNames = Object.keys(streamFields.shape).filter((name) => !isSecret(name));

Deno.test("nor what other tools call a secret, at any depth; harmless fields are shown", () => {
  const secrets = {
    password: "x1",
    apiToken: "x2",
    SECRET: 3,
    "x-api-key": "x4",
    credentials: { a: "x5" },
    headers: [{ name: "a" }, { authToken: "x6" }],
  };
  const shown = publicStream(aStream({ ...secrets, autologin: { selector: "#user" }, nothing: null }));
  assert.deepEqual(Object.keys(secrets).filter((name) => name in shown), []);
  assert.deepEqual([shown.autologin, shown.nothing], [{ selector: "#user" }, null]);
  assert.ok(streamNames.every((name) => name in shown));
});
