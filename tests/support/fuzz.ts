/** Requests nobody would think of: made from a seed, so that a failure can be had again. */
import { strict as assert } from "node:assert";
import { readdir } from "node:fs/promises";
import { routePatterns } from "./addresses.ts";
import { namesIn } from "./fixture.ts";
import { bytesOf } from "./answers.ts";
import { sessionCookie, type TestApp } from "./app.ts";

/** Wrong passwords and tried pages take no time, so a slow answer is one of ours. */
const ENV = {
  TIMINGS: JSON.stringify({
    login: { firstDelayMs: 1, longestDelayMs: 1 },
    trial: { wholeMs: 10, pageMs: 5 },
    feed: { longestMs: 1 },
  }),
};

/** The services that are tried. */
export const LOGIN_STATES: Record<string, Record<string, string>> = {
  "login off": ENV,
  "login on": { ...ENV, AUTH_USER: "operator", AUTH_PASS: "a-good-passphrase" },
};

type Random = () => number;

/** Mulberry32: small, and the same everywhere. */
function randomOf(seed: number): Random {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let value = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const METHODS = ["GET", "GET", "GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "QUERY", "x"];
const SAFE = ["GET", "HEAD", "OPTIONS"];

/** Texts that broke something somewhere. */
const NASTY = [
  ...["", "0", "-1", "1e309", "NaN", "null", "undefined", "true", "[]", "{}", "\0", "%00", "%", "%zz", "%ff"],
  ...[
    "../../etc/passwd",
    "..%2f..%2fetc",
    "%2e%2e",
    "%252e",
    "\\..\\",
    "//",
    "//evil.example",
    ".",
    "..",
    "~",
  ],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "<script>alert(1)</script>",
    "'\"`",
    "{{name}}",
  ],
  ...[
    "$(id)",
    "`id`",
    ";id",
    "|id",
    "--headless",
    "%(ENV_x)s",
    "[program:x]",
    "a\nb",
    "a\r\nx: y",
    "\u2028",
    "📺",
  ],
  ...["\ud800", "ﷺ", "a".repeat(64), "9".repeat(400), " ".repeat(3000), "x".repeat(9000), "é".repeat(300)],
  ...[
    "file:///etc/passwd",
    "javascript:alert(1)",
    "http://169.254.169.254/",
    "https://a@b:c",
    "http://[",
    "http://",
  ],
];

const FIELDS = [
  ...[
    "name",
    "url",
    "group",
    "user",
    "pass",
    "delay",
    "resolution",
    "scale",
    "fps",
    "bitrate",
    "bufsize",
    "gop",
    "channelNumber",
    "channelLogo",
  ],
  ...[
    "preset",
    "tune",
    "threads",
    "gpu",
    "webRtc",
    "audio",
    "autoReload",
    "autoReloadInterval",
    "onDemandMinutes",
    "rewind",
    "rewindFor",
    "morePages",
    "pageSeconds",
    "plan",
    "planTimeZone",
    "hideSelectors",
    "language",
    "timeZone",
    "extraHeaders",
    "extraCookies",
    "extensions",
    "id",
    "order",
    "revision",
  ],
  ...["desiredState", "ids", "streams", "passSet", "__proto__", "constructor", "extra"],
];

const HEADERS: Record<string, string[]> = {
  "content-type": [
    "application/json",
    "application/json;charset=utf-7",
    "text/plain",
    "multipart/form-data",
    ",",
  ],
  "accept-encoding": ["gzip", "br;q=nope", "*"],
  "range": ["bytes=0-", "bytes=-1", "bytes=9-1", "bytes=0-0,1-1", "bytes=99999999999999999999-", "x"],
  "if-none-match": ["*", '"x"', "W/", ",,,,"],
  "if-range": ['"x"', "yesterday"],
  "if-modified-since": ["0", "Thu, 01 Jan 1970 00:00:00 GMT"],
  "origin": ["null", "http://127.0.0.1:3000", "https://evil.example", "://", "http://[::1"],
  "sec-fetch-site": ["same-origin", "cross-site", "none", "?"],
  "host": [
    "127.0.0.1:3000",
    "localhost",
    "evil.example",
    "a b",
    "[::1]:3000",
    "[",
    ":",
    "127.1",
    "x".repeat(300),
  ],
  "x-forwarded-for": ["1.2.3.4", ",", "::1"],
  "x-forwarded-host": ["evil.example", "[", "a,b"],
  "x-forwarded-proto": ["https", "gopher", ","],
  "upgrade": ["websocket", "h2c", ","],
  "connection": ["Upgrade", "close"],
  "sec-websocket-version": ["13", "12", "x"],
  "sec-websocket-key": ["AAAAAAAAAAAAAAAAAAAAAA==", ""],
  "cookie": ["session=x", "=", ";;;", "a=" + "x".repeat(5000)],
  "authorization": ["Bearer x", "Basic ?", ""],
  "transfer-encoding": ["chunked"],
  "expect": ["100-continue"],
};

class Generator {
  #random: Random;
  #patterns: string[];
  #token: string;

  /** @param token an access token that is valid. */
  constructor(seed: number, patterns: string[], token: string) {
    this.#random = randomOf(seed);
    this.#patterns = patterns;
    this.#token = token;
  }

  /** Whose request it is, where there is a login: half of them get in. */
  visitor(): "loggedIn" | "stranger" {
    return this.#chance(0.5) ? "loggedIn" : "stranger";
  }

  #chance(part: number): boolean {
    return this.#random() < part;
  }

  #one<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)];
  }

  #word(): string {
    return this.#chance(0.6)
      ? this.#one(["clock", "wall", "none", "encoder", "index.m3u8"])
      : this.#one(NASTY);
  }

  #path(): string {
    const segment = () => this.#chance(0.5) ? this.#word() : encodeURIComponent(this.#word().toWellFormed());
    const pattern = this.#one(this.#patterns);
    const tokened = pattern.replace("[token]", () => this.#chance(0.8) ? this.#token : segment());
    let path = tokened.replace(/\[[.\w]+\]/g, segment);
    if (this.#chance(0.2)) path += this.#one(["/", "//", "/.", "?", "#", "%", "."]) + this.#word();
    if (this.#chance(0.3)) {
      const names = ["download", "after", "preview", "group", "running", "token", "next", "q"];
      path += `?${this.#one(names)}=${encodeURIComponent(this.#word().toWellFormed())}`;
    }
    return path.startsWith("/") ? path : `/${path}`;
  }

  #headers(): Headers {
    const headers = new Headers();
    for (const [name, values] of Object.entries(HEADERS)) {
      if (this.#chance(name === "content-type" ? 0.9 : 0.06)) {
        headers.set(name, name === "content-type" && this.#chance(0.9) ? values[0] : this.#one(values));
      }
    }
    return headers;
  }

  #value(depth = 0): unknown {
    const kind = this.#random();
    if (kind < 0.5 || depth > 5) return this.#one<unknown>([...NASTY, 0, -1, 1e300, 25, true, false, null]);
    if (kind < 0.6) {
      return Array.from({ length: Math.floor(this.#random() * 5) }, () => this.#value(depth + 1));
    }
    if (kind < 0.9) return this.#record(depth);
    return this.#one(["1280x720", "1500k", "superfast", "none", "stopped", "https://clock.example.org/"]);
  }

  #record(depth: number): Record<string, unknown> {
    const record: Record<string, unknown> = this.#chance(0.5)
      ? { name: "Clock", url: "https://clock.example.org/", desiredState: "stopped" }
      : {};
    for (let count = Math.floor(this.#random() * 6); count > 0; count--) {
      const field = this.#one(FIELDS);
      Object.defineProperty(record, field, {
        value: this.#value(depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return record;
  }

  #body(): string {
    const kind = this.#random();
    if (kind < 0.6) return JSON.stringify(this.#chance(0.8) ? this.#record(0) : this.#value());
    if (kind < 0.7) return JSON.stringify(Array.from({ length: 30 }, () => this.#record(0)));
    if (kind < 0.8) return this.#one(["[", '{"a":', '{"a":[', '"', "1,", '{"":']).repeat(20_000);
    if (kind < 0.9) return JSON.stringify(this.#record(0)).slice(0, Math.floor(this.#random() * 80));
    return this.#one(NASTY);
  }

  request() {
    const method = this.#one(METHODS);
    const body = SAFE.includes(method) || this.#chance(0.1) ? undefined : this.#body();
    return { method, path: this.#path(), headers: this.#headers(), body };
  }
}

/** What access tokens open, as the gate knows it, and what they do not. */
const TOKEN_PATTERNS = [
  "/playlist.m3u",
  "/playlist.m3u8",
  "/epg.xml",
  "/api/hls/live/clock/index.m3u8",
  "/api/hls/live/[id]/[file].ts",
  "/api/streams/[id]/thumb",
  "/api/streams/[id]/snapshot.jpg",
  "/api/streams/[id]/mjpeg",
  "/hdhr/discover.json",
  "/hdhr/lineup.post",
  "/hdhr/tune/[id]",
  "/wall",
  "/api/walls/running/view",
  "/[...path]",
  "",
].map((path) => `/t/[token]${path}`);

/** All that a reader must not change. */
async function state({ service, paths, idle }: TestApp): Promise<string> {
  // a recreation goes on behind its answer, the use of a token is noted there, and what a tried page has left is cleared
  await idle();
  const desired = service.streams.list("viewer").map(({ id, desiredState }) => [id, desiredState]);
  const kept = await Promise.all([namesIn(paths.profilesDir), filesBelow(paths.streamsDir)]);
  return JSON.stringify([service.streams.version(), desired, kept]);
}

/** The files below a folder, but thumbnails: whoever asks for one may be the reason for taking it. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith("thumb."));
  return files.map(({ parentPath, name }) => `${parentPath}/${name}`).sort();
}

const KNOWN_METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];

/** What is behind the proxies is not there; of that a 502 speaks. A supervisor's or browser's absence is a 503. */
function isFine(status: number, method: string, path: string): boolean {
  if (status < 500) return true;
  if (status === 501) return !KNOWN_METHODS.includes(method);
  return status === 502
    ? /^(?:\/t\/[^/]*)?\/api\/(?:hls|webvnc)\b/.test(path)
    : status === 503 && /\/(?:home|snapshot\.(?:jpg|png)|hdhr\/tune\/[^/]*)(?:\?|$)/.test(path);
}

/**
 * Sends so many requests. @returns the milliseconds of the slowest, and what it was.
 * @throws {AssertionError} with the seed and the request, on a 5xx, or a change by a reader.
 */
export async function fuzz(app: TestApp, seed: number, requests: number): Promise<Slowest> {
  const routes = [...await routePatterns(), "/styles.css", "/vendor/player.js", "/none"];
  const all = [...routes, ...TOKEN_PATTERNS, `/t/[token]${routes[Math.floor(seed % routes.length)]}`];
  const { log } = console;
  console.log = () => {}; // names that are not ours are logged
  let slowest: Slowest = { ms: 0, what: "" };
  try {
    await app.create({ desiredState: "stopped" });
    const { json: { token } } = await app.api("POST", "/api/access-tokens", { name: "TV" });
    const generator = new Generator(seed, all, token);
    for (let count = 0; count < requests; count++) {
      const sent = await sendOne(app, generator, `seed ${seed}, request ${count}`);
      if (sent.ms > slowest.ms) slowest = sent;
    }
  } finally {
    console.log = log;
  }
  return slowest;
}

export interface Slowest {
  ms: number;
  what: string;
}

async function sendOne(app: TestApp, generator: Generator, label: string): Promise<Slowest> {
  const { method, path, headers, body } = generator.request();
  const { service } = app;
  // made anew each time: a request may end all sessions
  if (service.login.isOn && generator.visitor() === "loggedIn") headers.set("cookie", sessionCookie(service));
  const what = `${label}: ${method} ${path.slice(0, 200)} ${JSON.stringify([...headers]).slice(0, 500)} ${
    body?.slice(0, 500)
  }`;
  let init: RequestInit;
  try {
    init = { method, headers, body };
    new Request(new URL(path, "http://127.0.0.1:3000"), init);
  } catch {
    return { ms: 0, what }; // no client can send it
  }
  const isReader = SAFE.includes(method);
  const before = isReader ? await state(app) : "";
  const start = performance.now();
  const answer = await app.fetch(`http://127.0.0.1:3000${path}`, init);
  await bytesOf(answer);
  const ms = performance.now() - start;
  assert.ok(isFine(answer.status, method, path), `${answer.status} ${what}`);
  assert.ok(answer.headers.has("content-security-policy"), `no policy ${what}`);
  if (isReader) assert.equal(await state(app), before, `changed by ${what}`);
  return { ms, what };
}
