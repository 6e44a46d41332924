import { strict as assert } from "node:assert";
import { join } from "node:path";
import { HelperReports } from "../../../../lib/live/page/helper_reports.ts";
import { streamId } from "../../../../lib/model/id.ts";
import { tempDir } from "../../../support/fixture.ts";

const id = streamId("wall");
const report = (login: string, seen = "", tries = 0, isLast = false) =>
  `report ${JSON.stringify({ login, seen, tries, isLast })}\n`;

/** Reports of a stream's log, which was started `age` ms before us. */
async function withReports(
  test: (given: {
    reports: HelperReports;
    events: string[];
    write(text: string): Promise<void>;
    path: string;
    stream: { startedAt: number };
  }) => Promise<void>,
  age = -1,
): Promise<void> {
  await using dir = await tempDir();
  await Deno.mkdir(join(dir.path, id));
  const path = join(dir.path, id, "autologin.log");
  const events: string[] = [];
  const stream = { id, startedAt: 1000 - age };
  const reports = new HelperReports({
    logsDir: dir.path,
    streams: () => stream.startedAt > 0 ? [stream] : [],
    add: (_, kind, text, level) => events.push(`${kind} ${level}: ${text}`),
    limits: { helperReportMs: 1000 },
    now: () => 1000,
    elapsed: () => 1000,
  });
  await test({
    reports,
    events,
    path,
    stream,
    write: (text) => Deno.writeTextFile(path, text, { append: true }),
  });
}

Deno.test("helper reports: each is told once, and the last is the state", () =>
  withReports(async ({ reports, events, write, stream }) => {
    await reports.round();
    await write(report("watching"));
    await reports.round();
    assert.equal(reports.login(id), undefined);
    assert.equal(reports.isLoggedIn(id), true);
    await write(report("asking"));
    await reports.round();
    assert.deepEqual([reports.isLoggedIn(id), events], [false, []]);
    await write(
      report("failed", "Wrong password", 1) + "something else\n" +
        report("failed", "Wrong password", 5, true),
    );
    await reports.round();
    await reports.round();
    assert.deepEqual(events, [
      "login warn: The login failed (try 1 of 5): Wrong password.",
      "login error: The login failed (try 5 of 5): Wrong password. It is not tried again.",
    ]);
    assert.deepEqual(reports.login(id), {
      login: "failed",
      seen: "Wrong password",
      tries: 5,
      isLast: true,
      since: 1000,
    });
    await write(report("succeeded", "", 1));
    await reports.round();
    assert.equal(events.at(-1), "login info: Logged in.");
    stream.startedAt = 0;
    await reports.round();
    assert.equal(reports.login(id), undefined);
  }));

Deno.test("helper reports: a line that is being written is read when it is whole, and a new log from its beginning", () =>
  withReports(async ({ reports, events, write, path }) => {
    const line = report("expired", "the page asks again");
    await write(line.slice(0, 20));
    await reports.round();
    assert.deepEqual(events, []);
    await write(line.slice(20));
    await reports.round();
    assert.deepEqual(events, ["login info: The login has expired: the page asks again."]);
    await Deno.rename(path, `${path}.1`);
    await write(report("succeeded"));
    await reports.round();
    assert.equal(events.length, 2);
  }));

Deno.test("helper reports: what stood in the log before the web app was started is the state, and no news", () =>
  withReports(async ({ reports, events, write }) => {
    await write(report("failed", "of yesterday", 5, true) + report("watching") + report("succeeded"));
    await reports.round();
    assert.deepEqual([events, reports.login(id)?.login], [[], "succeeded"]);
    await write(report("expired"));
    await reports.round();
    assert.equal(events.length, 1);
  }, 500));

Deno.test("helper reports: a helper that writes without end is no flood of events", () =>
  withReports(async ({ reports, events, write }) => {
    await reports.round();
    await write(report("expired").repeat(5000));
    await reports.round();
    assert.equal(events.length, 10);
  }));

Deno.test("helper reports: a link in a log's place is not followed", () =>
  withReports(async ({ reports, events, path }) => {
    await Deno.writeTextFile(`${path}.other`, report("expired"));
    await Deno.symlink(`${path}.other`, path);
    await reports.round();
    assert.deepEqual(events, []);
  }));
