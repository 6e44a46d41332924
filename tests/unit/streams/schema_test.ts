import assert from "node:assert/strict";
import { freeId, slug, STREAM_ID, streamId } from "../../../lib/streams/id.ts";
import {
  fieldProblems,
  newStream,
  parseBitrate,
  parseSeconds,
  publicStream,
  streamFields,
} from "../../../lib/streams/schema.ts";
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
    ["160x90", "1280x720", "3840x2160", " 1920x1080 "],
    [
      "",
      "1280",
      "1280X720",
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

Deno.test("the public stream never holds the password", () => {
  const shown = publicStream(aStream({ pass: "s3cret", custom: 1 }));
  assert.deepEqual([shown.passSet, shown.custom, "pass" in shown], [true, 1, false]);
  assert.ok(!JSON.stringify(shown).includes("s3cret"));
  assert.equal(publicStream(aStream()).passSet, false);
});

const streamNames = Object.keys(streamFields.shape).filter((name) => name !== "pass");

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
