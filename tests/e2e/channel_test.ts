/**
 * A page becomes a channel that real players can play: through the whole service, which has a login, by the address that
 * the playlist of an app's access token gives.
 */
import { strict as assert } from "node:assert";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { median } from "../../bench/figures.ts";
import { processesOfRun } from "../../lib/machine/os/orphans.ts";
import { mediaHeaders } from "../../lib/channel/media/access.ts";
import { DEFAULT_TIMINGS } from "../../lib/timings.ts";
import { launchShell } from "../support/browser.ts";
import { PAGE_COLOUR, playlistUrl, untilPageShown } from "../support/channel.ts";
import {
  PIPELINE_CHECKS,
  recordChannel,
  RECORDED,
  type Recording,
  RECORDING_CHECKS,
} from "../support/channel_checks.ts";
import { playlistAddress } from "../support/clients.ts";
import { tempDir } from "../support/fixture.ts";
import { dateOff, openHlsPage } from "../support/hls_page.ts";
import { fetchPlaylist, type Frame, frames, isColour, pixel, probe } from "../support/media.ts";
import { childrenOf, commandLine } from "../support/proc.ts";
import { same, until } from "../support/same.ts";
import { canRun, startService, type TestService } from "../support/service.ts";
import { inSoak } from "../support/soak.ts";
import { checkTransport, recordTransport } from "../support/transport_checker.ts";
import { tellTime } from "../support/times.ts";

const TIMINGS = {
  thumbnailRequestedMs: 1000,
  thumbnailRetryMs: 1000,
  statusCacheMs: 200,
  // a program that a test stops stays so: nobody ends it
  life: { ...DEFAULT_TIMINGS.life, stoppedMs: 60_000 },
};

const all = new AsyncDisposableStack();
let service: TestService;
/** The channel of all tests. */
let id: string;
/** What opens it, and all others. */
let token: string;
/** Its playlist's address, with the token. */
let url: string;
/** Milliseconds from the request to its first segment. */
let firstSegmentMs: number;
let recording: Recording;
/** The same seconds as one transport stream. */
let transport: Uint8Array;

// before the tests, so that it is no leak of one
Deno.test.beforeAll(async () => {
  const folder = all.use(await tempDir());
  service = await startService({
    timings: TIMINGS,
    env: { AUTH_USER: "anna", AUTH_PASS: "correct horse" },
  });
  all.defer(async () => {
    await service.stop();
  });
  const requestedAt = performance.now();
  ({ id } = await service.create({ name: "Clock", ...RECORDED, delay: "2s" }));
  ({ token } = await newToken({ name: "Players" }));
  url = await playlistAddress(service, "Clock", token);
  await until("a playable segment", async () => (await fetchPlaylist(url))?.segments.length);
  firstSegmentMs = performance.now() - requestedAt;
  await untilPageShown(service, id, 0, { url });
  const recorder = await recordTransport(`${service.url}/t/${token}/ts/${id}`);
  recording = await recordChannel(url, folder.path, {
    what: "kill -9 of the encoder",
    action: async () => Deno.kill(await service.programPid(`encoder-${id}`), "SIGKILL"),
  });
  transport = await recorder.stop();
});
Deno.test.afterAll(() => all.disposeAsync());

async function newToken(fields: Record<string, unknown>): Promise<{ id: string; token: string }> {
  const answer = await service.api("POST", "/api/access-tokens", fields);
  assert.equal(answer.status, 201);
  return await answer.json();
}

for (const [name, check] of Object.entries(RECORDING_CHECKS)) {
  Deno.test(`12 s of a channel whose encoder is killed: ${name}`, () => check(recording));
}

Deno.test("hls.js says of a picture when it was on the page", async () => {
  await using browser = await launchShell();
  const page = await openHlsPage(browser, service.url, url);
  const off: number[] = [];
  await until("pictures that can be read", async () => {
    const ms = dateOff(await page.sample());
    if (ms !== null) off.push(ms);
    return off.length >= 5;
  });
  assert.ok(Math.abs(median(off)) < 500, `${off} ms`);
  assert.deepEqual(await page.fatalErrors(), []);
});

for (const [name, check] of Object.entries(PIPELINE_CHECKS)) {
  Deno.test({ name, ignore: !canRun(name), fn: () => check(service, id) });
}

Deno.test("12 s of one transport stream whose encoder is killed: whole, in time, and decoded without an error", async () => {
  const { problems, seconds, keyFrames, breaks, pictureTimes, soundTimes } = checkTransport(transport);
  assert.deepEqual(problems, []);
  assert.ok(seconds > 5 && keyFrames > 4, `${seconds} s, ${keyFrames} key frames`);
  const steps = pictureTimes.slice(1).map((time, at) => time - pictureTimes[at]);
  assert.ok(breaks > 0, "the kill is told");
  assert.ok(steps.every((step) => step > 0), "times go on");
  assert.ok(Math.abs(pictureTimes.at(-1)! - soundTimes.at(-1)!) < 1, "sound and pictures belong together");
  await using folder = await tempDir();
  const file = join(folder.path, "channel.ts");
  await Deno.writeFile(file, transport);
  const { streams } = await probe(file);
  assert.deepEqual(streams.map(({ codec_name }) => codec_name), ["h264", "aac"]);
  const [first] = await frames(file, 320, 180, 1);
  assert.ok(isColour(pixel(first, 275, 150), PAGE_COLOUR), "the page is in it");
});

Deno.test("a stream is running after its delay, with its first segment", async () => {
  assert.ok(firstSegmentMs >= 2000, "it did not wait for the delay");
  tellTime("create to first segment, with a delay of 2 s", firstSegmentMs / 1000, 8);
  await service.untilState(id, "running");
});

/** The newest segment: its address, and the media server's own. */
async function newestSegment(): Promise<{ ours: string; theirs: string }> {
  const { segments } = (await fetchPlaylist(url))!;
  const path = `/live/${id}/${segments.at(-1)!.uri}`;
  return { ours: new URL(segments.at(-1)!.uri, url).href, theirs: service.mediaUrl + path };
}

/** What the web app shows to the media server. */
async function shownToMedia(): Promise<Headers> {
  return mediaHeaders((await Deno.readTextFile(join(service.runDir, "web/media-key"))).trim());
}

Deno.test("segments are the media server's, byte by byte, and in ranges", async () => {
  const { ours, theirs } = await newestSegment();
  const [whole, original] = await Promise.all([ours, theirs].map(async (one) => {
    const answer = await fetch(one, { headers: one === theirs ? await shownToMedia() : {} });
    assert.equal(answer.status, 200, one);
    return await answer.bytes();
  }));
  // no deepEqual: it takes minutes to say how two segments differ
  assert.equal(Buffer.compare(whole, original), 0, `${whole.length} and ${original.length} bytes`);
  const part = await fetch(ours, { headers: { range: "bytes=188-375" } });
  assert.deepEqual(await part.bytes(), original.slice(188, 376));
  const headers = ["content-length", "content-range"].map((name) => part.headers.get(name));
  assert.deepEqual([part.status, ...headers], [206, "188", `bytes 188-375/${original.length}`]);
});

Deno.test("the media server's own answers are hardened too, and players of other sites may use them", async () => {
  const { theirs } = await newestSegment();
  const missing = `${service.mediaUrl}/live/none/index.m3u8`;
  const headers = await shownToMedia();
  for (
    const [address, status, shown] of [[theirs, 200, headers], [missing, 404, headers], [
      theirs,
      403,
      {},
    ]] as const
  ) {
    const answer = await fetch(address, { headers: shown });
    await answer.body?.cancel();
    const names = ["x-content-type-options", "referrer-policy", "cross-origin-resource-policy"];
    const values = names.map((name) => answer.headers.get(name));
    assert.deepEqual([answer.status, ...values], [status, "nosniff", "no-referrer", "cross-origin"], address);
  }
});

Deno.test("a media server that accepts and never answers is a 502", async () => {
  const [worker] = childrenOf(service.processes(/^nginx: master .*nginx\.conf/)[0]);
  Deno.kill(worker, "SIGSTOP");
  try {
    const ask = async () => {
      const response = await fetch(url);
      await response.text();
      return [response.status, response.headers.get("retry-after")];
    };
    // a playlist may be 200 ms old
    await same(ask, [502, "1"]);
    const start = performance.now();
    assert.deepEqual(await Promise.all(Array.from({ length: 10 }, ask)), Array(10).fill([502, "1"]));
    // 2 s and what a busy machine adds
    tellTime("a 502 of a media server that never answers", (performance.now() - start) / 1000, 2.5);
  } finally {
    Deno.kill(worker, "SIGCONT");
  }
});

/** What the service, its programs and the media server wrote. */
async function allLogs(): Promise<string> {
  const texts = [service.output()];
  for await (const { name, isFile } of Deno.readDir(`${service.dataDir}/logs`)) {
    if (isFile) texts.push(await Deno.readTextFile(`${service.dataDir}/logs/${name}`));
  }
  return texts.join("\n");
}

Deno.test("a player whose token is revoked gets nothing more at once, and no log has the token", async () => {
  const guest = await newToken({ name: "Guest", streams: [id] });
  const address = await playlistAddress(service, "Clock", guest.token);
  const ask = async (one: string) => {
    const answer = await fetch(one);
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await ask(address), 200);
  assert.equal((await service.api("DELETE", `/api/access-tokens/${guest.id}`)).status, 204);
  const revokedAt = performance.now();
  assert.equal(await ask(address), 404);
  tellTime("the refusal of a revoked token", (performance.now() - revokedAt) / 1000, 1);
  assert.equal(await ask(url), 200, "another token goes on");
  assert.equal(await ask(playlistUrl(service, id)), 401, "without a token there is the login");
  // the log is another process' output, which comes after the answer
  let logs = "";
  await until("the log to say it", async () => (logs = await allLogs()).includes("access token revoked"));
  for (const one of [token, guest.token]) assert.ok(!logs.includes(one));
});

// thumbnails of the real display; what /thumb answers is in tests/app

const thumbPath = (stream: string) => `/api/streams/${stream}/thumb`;

/** Asks for a thumbnail and waits for it. */
async function takeThumbnail(): Promise<void> {
  const before = (await service.status(id)).thumbAt;
  const answer = await service.api("POST", thumbPath(id));
  assert.deepEqual([answer.status, (await answer.json()).thumbAt], [202, before ?? null]);
  await untilTaken(before);
}

async function untilTaken(after = 0): Promise<void> {
  await until("a thumbnail", async () => ((await service.status(id)).thumbAt ?? 0) > after);
}

interface Thumbnail {
  etag: string;
  frame: Frame;
  probed: Record<string, string>;
}

async function thumbnail(): Promise<Thumbnail> {
  await using folder = await tempDir();
  const answer = await service.api("GET", thumbPath(id));
  const file = join(folder.path, "thumb.jpg");
  await Deno.writeFile(file, await answer.bytes());
  const [frame] = await frames(file, 640, 360, 1);
  return { etag: answer.headers.get("etag")!, frame, probed: (await probe(file)).streams[0] };
}

function assertShowsPage({ frame }: Thumbnail): void {
  for (const [x, y] of [[550, 300], [639, 359], [0, 359], [639, 0]]) {
    assert.ok(isColour(pixel(frame, x, y), PAGE_COLOUR), `${x}, ${y}: ${pixel(frame, x, y)}`);
  }
}

/** The captures under way. */
function captures(): number[] {
  return processesOfRun(service.runDir).filter((pid) => commandLine(pid).includes("image2pipe"));
}

/** Runs something while the stream's display does not answer, so that a capture lasts 10 s. */
async function withStoppedDisplay(work: () => Promise<void>): Promise<void> {
  const display = await service.programPid(`display-${id}`);
  Deno.kill(display, "SIGSTOP");
  try {
    await work();
  } finally {
    Deno.kill(display, "SIGCONT");
  }
}

Deno.test("still pictures have the display's size, in both forms, and go on as MJPEG until the client leaves", async () => {
  await using folder = await tempDir();
  const path = (name: string) => `/api/streams/${id}/${name}`;
  for (const [name, codec] of [["snapshot.jpg", "mjpeg"], ["snapshot.png", "png"]]) {
    const answer = await service.api("GET", path(name));
    assert.equal(answer.status, 200, name);
    const file = join(folder.path, name);
    await Deno.writeFile(file, await answer.bytes());
    const { streams: [{ codec_name, width, height }] } = await probe(file);
    const [columns, rows] = RECORDED.scale.split("x").map(Number);
    assert.deepEqual([codec_name, width, height] as unknown[], [codec, columns, rows]);
    const [frame] = await frames(file, columns, rows, 1);
    assert.ok(isColour(pixel(frame, columns - 1, rows - 1), PAGE_COLOUR), name);
  }
  const leaving = new AbortController();
  const motion = await fetch(`${service.url}/t/${token}${path("mjpeg")}?fps=5`, { signal: leaving.signal });
  assert.equal(motion.status, 200);
  let [pictures, bytes] = [0, 0];
  try {
    for await (const part of motion.body!) {
      bytes += part.length;
      pictures += Buffer.from(part).toString("latin1").split("Content-Type: image/jpeg").length - 1;
      if (pictures >= 3) break;
    }
  } finally {
    leaving.abort();
  }
  assert.ok(bytes > 2000, `${bytes} bytes`);
  await until("the grab to end", () => captures().length === 0);
});

inSoak(Deno.test)(
  "one thumbnail after the other shows the page, whichever memory ffmpeg is given",
  async () => {
    for (let count = 0; count < 4; count++) {
      await takeThumbnail();
      const one = await thumbnail();
      assertShowsPage(one);
      const { codec_name, width, height } = one.probed;
      assert.deepEqual([codec_name, width, height] as unknown[], ["mjpeg", 640, 360]);
      assert.ok(!isColour(pixel(one.frame, 160, 75), PAGE_COLOUR), "the canvas is not there");
    }
    const folder = join(service.dataDir, "streams", id);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    assert.deepEqual(names.filter((name) => name.includes("thumb")), ["thumb.jpg"]);
    const { uid, mode } = await Deno.stat(join(folder, "thumb.jpg"));
    const webApp = (await Deno.stat(join(service.dataDir, "streams"))).uid;
    assert.deepEqual([uid, mode! & 0o777], [webApp, 0o600], "it is the web app's alone");
  },
);

Deno.test("requests join one capture, which is the stream's user's, and the old thumbnail is shown meanwhile", async () => {
  await takeThumbnail();
  let before: number | undefined;
  let old!: Thumbnail;
  await withStoppedDisplay(async () => {
    // one of the schedule may have its picture already
    await until("no capture to be under way", () => captures().length === 0);
    before = (await service.status(id)).thumbAt;
    old = await thumbnail();
    for (let request = 0; request < 5; request++) await service.api("POST", thumbPath(id));
    await until("the capture", () => captures().length > 0);
    assert.equal(captures().length, 1);
    assert.equal((await thumbnail()).etag, old.etag);
    const [pid] = captures();
    const { uid } = await Deno.stat(join(service.dataDir, "profiles", id));
    assert.match(await Deno.readTextFile(`/proc/${pid}/status`), new RegExp(`^Uid:(\\s${uid}){4}$`, "m"));
    const environment = (await Deno.readTextFile(`/proc/${pid}/environ`)).split("\0").filter(Boolean);
    const names = environment.map((text) => text.split("=")[0]).filter((name) => name !== "PWD");
    assert.deepEqual(names.sort(), ["BROWSER_STREAM_RUN", "XAUTHORITY"], "no setting of ours");
  });
  await untilTaken(before);
  assert.deepEqual(captures(), []);
  // a display that goes on shows its last picture for a moment
  await until("a thumbnail of the clock that has moved on", async () => {
    await takeThumbnail();
    return (await thumbnail()).etag !== old.etag;
  });
});

Deno.test("the end of the web app ends the capture under way", async () => {
  const [webApp] = service.processes(/ serve$/);
  await withStoppedDisplay(async () => {
    await service.api("POST", thumbPath(id));
    await until("the capture", () => captures().length > 0);
    Deno.kill(webApp, "SIGTERM");
    await until("the end of both", () => !commandLine(webApp) && captures().length === 0);
  });
  await until("the web app to be back", () => service.status(id).catch(() => null));
});
