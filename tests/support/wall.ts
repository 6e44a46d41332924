/** A board with streams in every state, as on a wall full of screens. */
import { strict as assert } from "node:assert";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { streamId } from "../../lib/model/id.ts";
import { until } from "./same.ts";
import type { UiOptions, UiTest } from "./ui.ts";

const STATES = [
  "running",
  "running",
  "failed",
  "running",
  "degraded",
  "running",
  "starting",
  "stopped",
] as const;
const LAST_WORDS = "[12:12:FATAL:zygote_host.cc(201)] Check failed";
const LONG_NAME = "A name that is much longer than what fits into two lines of a card of any size, really";

/** For tests with a wall: no keeper mends what is broken. */
export const WALL: UiOptions = {
  env: { TIMINGS: JSON.stringify({ statusCacheMs: 1, programRetrySeconds: 36_000 }) },
};

/**
 * Makes streams "Wall 0", "Wall 1"… and opens the board. The states come in the order of `STATES`, again and again;
 * those on air have a thumbnail; the sixth has a long name.
 */
export async function openWall({ app, page, dashboard }: UiTest, count: number): Promise<void> {
  const { machine, service } = app;
  const bright = await brightPicture(page);
  machine.capture = () => Promise.resolve(bright);
  const states = Array.from(
    { length: count },
    (_, n) => ({ id: `wall-${n}`, state: STATES[n % STATES.length] }),
  );
  const list = states.map(({ id, state }, n) => ({
    id,
    name: n === 5 ? LONG_NAME : `Wall ${n}`,
    url: "https://wall.example.org/",
    delay: state === "starting" ? 120 : 0,
    desiredState: state === "stopped" ? "stopped" : "running",
  }));
  assert.equal((await app.api("POST", "/api/streams/import", list)).status, 200);
  await until(
    "the streams to be started",
    () =>
      list.every(({ id, desiredState }) =>
        desiredState === "stopped" || machine.supervisord.state(`encoder-${id}`) === "RUNNING"
      ),
  );
  for (const { id, state } of states) {
    if (state !== "starting" && state !== "stopped") {
      await service.fleet.get(streamId(id)).thumbnail.capture();
    }
    if (state === "failed") {
      await Deno.writeTextFile(join(app.paths.logsDir, id, "browser.log"), `${LAST_WORDS}\n`);
      machine.supervisord.setState(`browser-${id}`, "FATAL");
    }
    if (state === "degraded" || state === "starting") {
      machine.supervisord.setState(`encoder-${id}`, "BACKOFF");
    }
  }
  machine.advance(40_000); // longer than a start may last
  const { json: statuses } = await app.api("GET", "/api/streams/statuses");
  assert.deepEqual(states.map(({ id }) => statuses[id].state), states.map(({ state }) => state));
  await dashboard.open();
}

/** A bright JPEG, on which nothing of ours may become unreadable. */
async function brightPicture(page: Page): Promise<Uint8Array<ArrayBuffer>> {
  const url = await page.evaluate(() => {
    const canvas = document.createElement("canvas");
    canvas.width = 640;
    canvas.height = 360;
    const context = canvas.getContext("2d")!;
    const gradient = context.createLinearGradient(0, 0, 640, 360);
    gradient.addColorStop(0, "#ffe9b0");
    gradient.addColorStop(1, "#5aa9e6");
    context.fillStyle = gradient;
    context.fillRect(0, 0, 640, 360);
    return canvas.toDataURL("image/jpeg");
  });
  return Uint8Array.from(Buffer.from(url.split(",")[1], "base64"));
}
