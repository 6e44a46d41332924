import { strict as assert } from "node:assert";
import { join } from "node:path";
import { LoginReports } from "../../../lib/signin/reports.ts";
import { tempDir } from "../../support/fixture.ts";

const report = (login: string, seen = "", tries = 0, isLast = false) =>
  `report ${JSON.stringify({ login, seen, tries, isLast })}\n`;

/** Reports of a stream's log, which was started `age` ms before us. */
async function withReports(
  test: (given: {
    reports: LoginReports;
    /** Reads on, as for a stream that runs. */
    round(): Promise<unknown>;
    events: string[];
    write(text: string): Promise<void>;
    path: string;
  }) => Promise<void>,
  age = -1,
): Promise<void> {
  await using dir = await tempDir();
  const path = join(dir.path, "autologin.log");
  const events: string[] = [];
  const reports = new LoginReports({
    path,
    tell: (kind, text, level) => events.push(`${kind} ${level}: ${text}`),
    now: () => 1000,
    newsSince: 1000,
  });
  const round = () => reports.next(1000 - age);
  await test({
    reports,
    events,
    path,
    round,
    write: (text) => Deno.writeTextFile(path, text, { append: true }),
  });
}

Deno.test("helper reports: each is told once, and the last is the state", () =>
  withReports(async ({ reports, events, write, round }) => {
    await round();
    await write(report("watching"));
    await round();
    assert.equal(reports.login, undefined);
    assert.equal(reports.isLoggedIn, true);
    await write(report("asking"));
    await round();
    assert.deepEqual([reports.isLoggedIn, events], [false, []]);
    await write(
      report("failed", "Wrong password", 1) + "something else\n" +
        report("failed", "Wrong password", 5, true),
    );
    await round();
    await round();
    assert.deepEqual(events, [
      "login warn: The login failed (try 1 of 5): Wrong password.",
      "login error: The login failed (try 5 of 5): Wrong password. It is not tried again.",
    ]);
    assert.deepEqual(reports.login, {
      login: "failed",
      seen: "Wrong password",
      tries: 5,
      isLast: true,
      since: 1000,
    });
    await write(report("succeeded", "", 1));
    await round();
    assert.equal(events.at(-1), "login info: Logged in.");
    reports.forget();
    assert.equal(reports.login, undefined);
  }));

Deno.test("helper reports: a line that is being written is read when it is whole, and a new log from its beginning", () =>
  withReports(async ({ events, write, path, round }) => {
    const line = report("expired", "the page asks again");
    await write(line.slice(0, 20));
    await round();
    assert.deepEqual(events, []);
    await write(line.slice(20));
    await round();
    assert.deepEqual(events, ["login info: The login has expired: the page asks again."]);
    await Deno.rename(path, `${path}.1`);
    await write(report("succeeded"));
    await round();
    assert.equal(events.length, 2);
  }));

Deno.test("helper reports: what stood in the log before the web app was started is the state, and no news", () =>
  withReports(async ({ reports, events, write, round }) => {
    await write(report("failed", "of yesterday", 5, true) + report("watching") + report("succeeded"));
    await round();
    assert.deepEqual([events, reports.login?.login], [[], "succeeded"]);
    await write(report("expired"));
    await round();
    assert.equal(events.length, 1);
  }, 500));

Deno.test("helper reports: a helper that writes without end is no flood of events", () =>
  withReports(async ({ events, write, round }) => {
    await round();
    await write(report("expired").repeat(5000));
    await round();
    assert.equal(events.length, 10);
  }));

Deno.test("helper reports: a link in a log's place is not followed", () =>
  withReports(async ({ events, path, round }) => {
    await Deno.writeTextFile(`${path}.other`, report("expired"));
    await Deno.symlink(`${path}.other`, path);
    await round();
    assert.deepEqual(events, []);
  }));

Deno.test("login reports: what an earlier start of the stream reported is no news of the next one", () =>
  withReports(async ({ reports, events, write, round }) => {
    await write(report("watching") + report("failed", "Wrong password", 1));
    await round();
    assert.equal(events.length, 1);
    reports.forget();
    // the next helper has not written yet
    await round();
    assert.deepEqual([events.length, reports.login], [1, undefined]);
    await write(report("watching") + report("succeeded"));
    await round();
    assert.deepEqual([events.length, reports.login?.login], [2, "succeeded"]);
  }));
