/** What a stream's user may cost the web app as the program that pushes, in virtual time. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { PushLink } from "../../../lib/live/push_link.ts";
import { writeAll } from "../../../lib/machine/tools/write_all.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { tempDir } from "../../support/fixture.ts";
import { until } from "../../support/same.ts";

async function aLink() {
  const dir = await tempDir();
  const path = join(dir.path, "push");
  const seen = { told: 0, watched: 0 };
  const link = new PushLink({
    path,
    channel: { isOnAir: true, relay: { isOver: false, add: () => seen.watched++, remove: () => {} } },
    tell: () => seen.told++,
  });
  link.tick({ pushTo: "rtmp://tv.example.org/live" }, true);
  const connect = () =>
    until("the socket", () => Deno.connect({ transport: "unix", path }).catch(() => null));
  return Object.assign(seen, {
    connect,
    [Symbol.asyncDispose]: async () => {
      await link.stop();
      await dir[Symbol.asyncDispose]();
    },
  });
}

/** Lets time go by until it is so. @returns so many milliseconds. */
async function time(clock: FakeClock, what: string, check: () => boolean): Promise<number> {
  let ms = 0;
  await until(what, async () => {
    await clock.advance(500);
    ms += 500;
    return check();
  });
  return ms;
}

Deno.test("push link: reports without end are read no faster than some a second", async () => {
  using clock = new FakeClock();
  await using link = await aLink();
  const program = await link.connect();
  const pair = [["sending", ""], ["waiting", "no"]].map(([state, problem]) =>
    `{"state":"${state}","kbps":1,"problem":"${problem}","retrySeconds":1}\n`
  ).join("");
  const writing = writeAll(program, new TextEncoder().encode(pair.repeat(500)));
  const ms = await time(clock, "all reports", () => link.told >= 1000);
  assert.ok(ms >= 5000, `after ${ms} ms`);
  await writing;
  program.close();
});

Deno.test("push link: a program that comes and goes without end is let in a few times a second", async () => {
  using clock = new FakeClock();
  await using link = await aLink();
  for (let count = 0; count < 40; count++) (await link.connect()).close();
  const ms = await time(clock, "all of them", () => link.watched === 40);
  assert.ok(ms >= 10_000, `after ${ms} ms`);
});
