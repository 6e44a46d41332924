/** The past of a real channel: a page that tells its own time is seen at each of its seconds, whatever happens. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { until } from "../support/same.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { shownAt, spansOf } from "../support/shown_seconds.ts";
import { enter, tokenOf, webPid } from "../support/takeover.ts";
import { pause } from "../support/within.ts";

const serviceTest = sharedService();

const now = () => Math.floor(Date.now() / 1000);

/** The page's stream, whose page is kept already. */
async function channel(service: TestService): Promise<string> {
  const url = `${service.pageUrl}seconds.html`;
  const { id } = await service.sharedStream({ name: "Seconds", url, audio: false, fps: 25 });
  await untilKept(service, id, now());
  // a browser's first page is blank
  await until("the page to be kept", async () => {
    const newest = (await spansOf(service, id)).at(-1)!.to - 1;
    return await shownAt(service, id, newest) === newest;
  });
  return id;
}

/** Waits until what the page shows after a second is kept. */
async function untilKept(service: TestService, id: string, second: number): Promise<void> {
  await until(
    "the past to go on",
    async () => (await spansOf(service, id)).some(({ to }) => to > second + 1),
  );
}

/** The seconds that are kept show themselves. @param step from one that is looked at to the next. @returns how many. */
async function isExact(
  service: TestService,
  id: string,
  from: number,
  to: number,
  step = 1,
): Promise<number> {
  let [right, wrong] = [0, [] as [number, number][]];
  for (let second = from; second < to; second += step) {
    const shown = await shownAt(service, id, second);
    if (shown === second) right++;
    else if (shown !== null) wrong.push([second, shown]);
  }
  assert.deepEqual(wrong, [], "a second that shows another one");
  return right;
}

serviceTest("each second of the past shows what the page showed at that second", async (service) => {
  const id = await channel(service);
  const begin = now();
  await untilKept(service, id, begin + 8);
  assert.equal(await isExact(service, id, begin, begin + 8), 8);
  const folder = join(service.dataDir, "rewind", id);
  const { mode, gid } = await Deno.stat(folder);
  assert.equal((mode ?? 0) & 0o007, 0, "it is nobody else's");
  if (Deno.uid() === 0) {
    const web = await Deno.stat(join(service.dataDir, "streams"));
    assert.deepEqual([gid, (await Deno.stat(folder)).uid === web.uid], [web.gid, false]);
  }
});

serviceTest("whatever is killed, three seconds are lost at most, and the past goes on", async (service) => {
  const id = await channel(service);
  const begin = now();
  const victims: [string, () => Promise<number>][] = [
    ["the encoder", () => service.programPid(`encoder-${id}`)],
    ["the capture program", () => Promise.resolve(service.processes(/browser-stream\S* capture$/)[0])],
    ["the web app", () => Promise.resolve(webPid(service))],
    ["the browser", () => service.programPid(`browser-${id}`)],
  ];
  for (const [name, pid] of victims) {
    await untilKept(service, id, now());
    const killedAt = now();
    Deno.kill(await pid(), "SIGKILL");
    await until("the web app", async () => (await service.api("GET", "/healthz").catch(() => null))?.ok);
    await untilKept(service, id, now());
    assert.equal(await shownAt(service, id, killedAt - 3), killedAt - 3, name);
  }
  const looked = Math.floor((now() - 1 - begin) / 3);
  const right = await isExact(service, id, begin, now() - 1, 3);
  assert.ok(right > looked / 4, `${right} of ${looked}`);
});

serviceTest("what a person does by VNC leaves a gap that says so", async (service) => {
  const id = await channel(service);
  const token = await tokenOf(service, id);
  const viewer = await enter(service, token);
  const cameAt = now();
  await pause(4000);
  const leftAt = now();
  await viewer[Symbol.asyncDispose]();
  await untilKept(service, id, leftAt + 2);
  for (let second = cameAt + 1; second < leftAt; second++) {
    assert.equal(await shownAt(service, id, second), null, `${second - cameAt} s after somebody came`);
  }
  const spans = await spansOf(service, id);
  const before = spans.findLast(({ to }) => to <= cameAt + 1);
  assert.equal(before?.reason, "visit");
});

serviceTest(
  "without `rewind` nothing is kept from then on; a deleted stream's past is gone",
  async (service) => {
    const id = await channel(service);
    assert.equal((await service.api("PATCH", `/api/streams/${id}`, { rewind: false })).status, 200);
    await until("the past to end", async () => (await spansOf(service, id)).at(-1)?.reason === "off");
    const ended = (await spansOf(service, id)).at(-1)!.to;
    await pause(3000);
    assert.equal((await spansOf(service, id)).at(-1)!.to, ended);
    assert.equal((await service.api("DELETE", `/api/streams/${id}`)).status, 204);
    await until("its folder to be gone", async () => {
      return await Deno.stat(join(service.dataDir, "rewind", id)).then(() => false, () => true);
    });
  },
);
