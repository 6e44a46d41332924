/** Takes pictures of the fixture's kinds of pages (tests/fixtures/rewind.html), in virtual time. */
import type { Browser, CDPSession, Page } from "playwright-core";
import { launchShell } from "../../tests/support/browser.ts";
import { root } from "../../tests/support/fixture.ts";
import { spawnFfmpeg } from "./ffmpeg.ts";
import { framesOf } from "./frames.ts";
import { type Past, PICTURE_BYTES, type Shown, SIZE } from "./past.ts";

export const KINDS = [
  "still",
  "clock",
  "charts",
  "list",
  "map",
  "login",
  "dark",
  "slides",
  "video",
  "flicker",
] as const;
export type Kind = typeof KINDS[number];

/** Browsers at once: one waits for its processes most of the time. */
const BROWSERS = 4;

/** What the fixture has. */
declare const periods: Record<Kind, number>;
declare const pictures: Partial<Record<Kind, number>>;
declare function draw(kind: Kind, second: number): void;

interface Camera {
  page: Page;
  session: CDPSession;
}

async function cameraOf(browser: Browser): Promise<Camera> {
  const page = await browser.newPage({ viewport: SIZE });
  await page.goto(`file://${root}tests/fixtures/rewind.html`);
  return { page, session: await page.context().newCDPSession(page) };
}

/** Browsers with the fixture, which end with the scope. */
export async function camerasIn(scope: AsyncDisposableStack): Promise<Camera[]> {
  return await Promise.all(Array.from({ length: BROWSERS }, async () => {
    const browser = await launchShell();
    scope.defer(() => browser.close());
    return await cameraOf(browser);
  }));
}

/** A page's picture at a second, as PNG. */
async function photo({ page, session }: Camera, kind: Kind, second: number): Promise<Uint8Array> {
  await page.evaluate(([kind, second]) => draw(kind, second), [kind, second] as const);
  const { data } = await session.send("Page.captureScreenshot", { format: "png", optimizeForSpeed: true });
  return Uint8Array.fromBase64(data);
}

/** The pictures at these seconds, in their order; each camera takes every fourth. */
async function* photos(
  cameras: readonly Camera[],
  kind: Kind,
  seconds: readonly number[],
): AsyncGenerator<Uint8Array> {
  const [{ page }] = cameras;
  const different = await page.evaluate((kind) => pictures[kind] ?? Infinity, kind);
  const taken: Promise<Uint8Array>[] = [];
  /** Begins with a camera's next picture when it has taken the one before. */
  const begin = async (at: number): Promise<Uint8Array> => {
    if (at >= different) return await taken[at % different];
    await taken[at - cameras.length];
    return await photo(cameras[at % cameras.length], kind, seconds[at]);
  };
  for (const at of seconds.keys()) {
    for (let next = taken.length; next < Math.min(seconds.length, at + 2 * cameras.length); next++) {
      taken.push(begin(next));
      taken[next].catch(() => {}); // the loop comes to it
    }
    yield await taken[at];
    if (at >= different || different === Infinity) taken[at] = Promise.resolve(new Uint8Array());
  }
}

/** RGB as the service turns it into the channel's colours. */
const TO_I420 = [
  ...["-f", "png_pipe", "-i", "pipe:0", "-fps_mode", "passthrough"],
  ...["-vf", "scale=flags=bilinear:out_color_matrix=bt709:out_range=tv,format=yuv420p"],
  ...["-f", "rawvideo", "pipe:1"],
];

/** Takes the past of a kind of page, and keeps the pictures that differ in a file. */
export async function pastOf(
  cameras: readonly Camera[],
  kind: Kind,
  seconds: number,
  path: string,
): Promise<Past> {
  const period = await cameras[0].page.evaluate((kind) => periods[kind], kind);
  const due = Array.from({ length: seconds }, (_, second) => second)
    .filter((second) => second === 0 || second % period === 0);
  const converter = spawnFfmpeg(TO_I420);
  const said = new Response(converter.stderr).text();
  const shooting = (async () => {
    const writer = converter.stdin.getWriter();
    for await (const png of photos(cameras, kind, due)) await writer.write(png);
    await writer.close();
  })();
  const changes = await keepDifferent(framesOf(converter.stdout, PICTURE_BYTES), due, path);
  await shooting;
  if (!(await converter.status).success) throw new Error(`ffmpeg failed: ${(await said).slice(-2000)}`);
  return { path, changes, seconds };
}

/** Writes each picture that differs from the one before. */
async function keepDifferent(
  frames: AsyncIterable<Uint8Array>,
  seconds: readonly number[],
  path: string,
): Promise<Shown[]> {
  using file = await Deno.open(path, { create: true, write: true, truncate: true });
  const changes: Shown[] = [];
  const last = new Uint8Array(PICTURE_BYTES);
  let at = 0;
  for await (const frame of frames) {
    const second = seconds[at++];
    if (changes.length > 0 && equal(frame, last)) continue;
    last.set(frame);
    for (let written = 0; written < frame.length;) written += await file.write(frame.subarray(written));
    changes.push({ second, number: changes.length });
  }
  if (at !== seconds.length) throw new Error(`${at} pictures of ${seconds.length} came`);
  return changes;
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  const [words, others] = [one, other].map((bytes) => new BigUint64Array(bytes.buffer));
  return words.every((word, at) => word === others[at]);
}
