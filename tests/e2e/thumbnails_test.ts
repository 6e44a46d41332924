/** Thumbnails of real displays; what /thumb answers is in tests/app. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { processesOfRun } from "../../lib/system/orphans.ts";
import { DEFAULT_TIMINGS } from "../../lib/timings.ts";
import { PAGE_COLOUR, untilPageShown } from "../support/channel.ts";
import { isThere } from "../support/fixture.ts";
import { frames, isColour, pixel, probe } from "../support/media.ts";
import { commandLine } from "../support/proc.ts";
import { until } from "../support/same.ts";
import { ownEnvironment, sharedService, startService, type TestService } from "../support/service.ts";
import { inSoak } from "../support/soak.ts";

// a display that is stopped stays so for a while: nobody ends it
const life = { ...DEFAULT_TIMINGS.life, stoppedMs: 60_000 };
const TIMINGS = { thumbnailRequestedMs: 1000, thumbnailRetryMs: 1000, statusCacheMs: 200, life };

const serviceTest = sharedService({ timings: TIMINGS });

const CLOCK = { name: "Clock" };

const thumbUrl = (service: TestService, id: string) => `${service.url}/api/streams/${id}/thumb`;

/** Asks for a thumbnail and waits for it; returns when it was taken. */
async function capture(service: TestService, id: string): Promise<number> {
  const before = (await service.status(id)).thumbAt;
  let requested!: Response;
  await until("the page to be shown", async () => {
    requested = await service.api("POST", `/api/streams/${id}/thumb`);
    return requested.status !== 409;
  });
  assert.deepEqual([requested.status, (await requested.json()).thumbAt], [202, before ?? null]);
  return await untilCaptured(service, id, before);
}

async function untilCaptured(service: TestService, id: string, after = 0): Promise<number> {
  let taken = 0;
  await until(`a thumbnail of ${id}`, async () => {
    return (taken = (await service.status(id)).thumbAt ?? 0) > after;
  });
  return taken;
}

async function assertShowsPage(service: TestService, id: string): Promise<void> {
  const [frame] = await frames(thumbUrl(service, id), 640, 360, 1);
  for (const [x, y] of [[550, 300], [639, 359], [0, 359], [639, 0]]) {
    assert.ok(isColour(pixel(frame, x, y), PAGE_COLOUR), `${x}, ${y}: ${pixel(frame, x, y)}`);
  }
}

/** The captures under way. */
function captures(service: TestService): number[] {
  return processesOfRun(service.runDir).filter((pid) => commandLine(pid).includes("image2pipe"));
}

/** Runs something while the stream's display does not answer, so that a capture lasts 10 s. */
async function withStoppedDisplay(service: TestService, id: string, run: () => Promise<void>): Promise<void> {
  const display = await service.programPid(`display-${id}`);
  Deno.kill(display, "SIGSTOP");
  try {
    await run();
  } finally {
    Deno.kill(display, "SIGCONT");
  }
}

serviceTest("asking for the thumbnail once is enough to get it", async (service) => {
  const { id } = await service.sharedStream(CLOCK);
  await (await fetch(thumbUrl(service, id))).bytes();
  const taken = await untilCaptured(service, id);
  assert.ok(Math.abs(Date.now() - taken) < 20_000);
  await assertShowsPage(service, id);
});

serviceTest(
  "one thumbnail after the other shows the page, whichever memory ffmpeg is given",
  async (service) => {
    const { id } = await service.sharedStream(CLOCK);
    await untilPageShown(service, id, 0);
    for (let count = 0; count < 4; count++) {
      await capture(service, id);
      await assertShowsPage(service, id);
    }
  },
);

serviceTest("a thumbnail is a JPEG of 640x360 in the page's colours", async (service) => {
  const { id } = await service.sharedStream(CLOCK);
  await untilPageShown(service, id, 0);
  await capture(service, id);
  const url = thumbUrl(service, id);
  const [stream] = (await probe(url)).streams;
  assert.deepEqual([stream.codec_name, stream.width, stream.height], ["mjpeg", 640, 360] as unknown[]);
  const [frame] = await frames(url, 640, 360, 1);
  await assertShowsPage(service, id);
  assert.ok(!isColour(pixel(frame, 160, 75), PAGE_COLOUR), "the canvas is not there");
});

serviceTest("requests join one capture, and the old thumbnail is shown meanwhile", async (service) => {
  const { id } = await service.sharedStream(CLOCK);
  const before = await capture(service, id);
  const etag = async () => {
    const answer = await fetch(thumbUrl(service, id));
    await answer.bytes();
    return answer.headers.get("etag");
  };
  const old = await etag();
  await withStoppedDisplay(service, id, async () => {
    for (let request = 0; request < 5; request++) await service.api("POST", `/api/streams/${id}/thumb`);
    await until("the capture", () => captures(service).length > 0);
    assert.equal(captures(service).length, 1);
    assert.equal(await etag(), old);
  });
  await untilCaptured(service, id, before);
  assert.deepEqual(captures(service), []);
  // a display that goes on shows its last picture for a moment
  await until("a thumbnail of the clock that has moved on", async () => {
    await capture(service, id);
    return await etag() !== old;
  });
});

serviceTest("a capture runs as the stream's user, with no setting of ours", async (service) => {
  const { id } = await service.sharedStream(CLOCK);
  const before = await capture(service, id);
  await withStoppedDisplay(service, id, async () => {
    await service.api("POST", `/api/streams/${id}/thumb`);
    await until("the capture", () => captures(service).length > 0);
    const [pid] = captures(service);
    const { uid } = await Deno.stat(join(service.dataDir, "profiles", id));
    assert.match(await Deno.readTextFile(`/proc/${pid}/status`), new RegExp(`^Uid:(\\s${uid}){4}$`, "m"));
    const environment = (await Deno.readTextFile(`/proc/${pid}/environ`)).split("\0").filter(Boolean);
    const names = environment.map((text) => text.split("=")[0]).filter((name) => name !== "PWD");
    assert.deepEqual(names.sort(), ["BROWSER_STREAM_RUN", "XAUTHORITY"]);
  });
  await untilCaptured(service, id, before);
});

serviceTest("the thumbnail's file is the web app's alone, and the only one", async (service) => {
  const { id } = await service.sharedStream(CLOCK);
  await capture(service, id);
  const folder = join(service.dataDir, "streams", id);
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  assert.deepEqual(names.filter((name) => name.includes("thumb")), ["thumb.jpg"]);
  const { uid, mode } = await Deno.stat(join(folder, "thumb.jpg"));
  const webApp = (await Deno.stat(join(service.dataDir, "streams"))).uid;
  assert.deepEqual([uid, mode! & 0o777], [webApp, 0o600]);
});

serviceTest("the end of the web app ends the capture under way", async (service) => {
  const { id } = await service.sharedStream(CLOCK);
  const [webApp] = service.processes(/ serve$/);
  await withStoppedDisplay(service, id, async () => {
    await service.api("POST", `/api/streams/${id}/thumb`);
    await until("the capture", () => captures(service).length > 0);
    Deno.kill(webApp, "SIGTERM");
    await until("the end of both", () => !commandLine(webApp) && captures(service).length === 0);
  });
  await until("the web app to be back", () => service.status(id).catch(() => null));
});

inSoak(Deno.test)(
  "a restart of the service keeps thumbnails with their times, but those of gone streams",
  async () => {
    await using environment = await ownEnvironment({ timings: TIMINGS });
    const first = await startService({ environment });
    let taken: number;
    try {
      const { id } = await first.create(CLOCK);
      taken = await capture(first, id);
    } finally {
      await first.stop();
    }
    const gone = join(environment.env.DATA_DIR, "streams/gone");
    await Deno.mkdir(gone);
    await Deno.writeTextFile(join(gone, "thumb.jpg"), "of a stream deleted by hand");
    const second = await startService({ environment });
    try {
      assert.equal((await second.status("clock")).thumbAt, taken);
      assert.ok(!await isThere(gone));
      await second.api("DELETE", "/api/streams/clock");
      assert.ok(!await isThere(join(gone, "../clock")));
    } finally {
      await second.stop();
    }
  },
);
