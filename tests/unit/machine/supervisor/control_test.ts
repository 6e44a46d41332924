import assert from "node:assert/strict";
import { Supervisor } from "../../../../lib/machine/supervisor/control.ts";
import { ProcessError, type RunResult } from "../../../../lib/machine/os/process.ts";

/** A Supervisor whose tool answers `result`, and what the tool was called with. */
function control(result: Partial<RunResult> = {}) {
  const calls: string[][] = [];
  const supervisor = new Supervisor((argv) => {
    calls.push(argv);
    return Promise.resolve({ code: 0, stdout: "", stderr: "", ...result });
  }, "/data/supervisord.conf");
  return { supervisor, calls };
}

Deno.test("argv arrays, each name one element; nothing to do calls nothing", async () => {
  const { supervisor, calls } = control();
  await supervisor.update(["stream-a"]);
  await supervisor.start(["stream-a:*", "autologin-a"]);
  await supervisor.stop(["a b; reboot"]);
  await supervisor.restart(["x"]);
  await supervisor.kill(["stream-a:encoder-a", "media"]);
  await supervisor.kill([]);
  for (const action of ["start", "stop", "restart"] as const) await supervisor[action]([]);
  const tool = ["/usr/bin/supervisorctl", "-c", "/data/supervisord.conf"];
  assert.deepEqual(calls, [
    [...tool, "update", "stream-a"],
    [...tool, "start", "stream-a:*", "autologin-a"],
    [...tool, "stop", "a b; reboot"],
    [...tool, "restart", "x"],
    [...tool, "signal", "KILL", "stream-a:encoder-a", "media"],
  ]);
});

type Action = "start" | "stop" | "restart" | "kill";
const FINE: [Action, Partial<RunResult>][] = [
  ["start", { stdout: "stream-a:encoder-a: started\n" }],
  ["start", { code: 1, stdout: "stream-a:encoder-a: ERROR (already started)\n" }],
  ["stop", { code: 1, stdout: "autologin-a: ERROR (not running)\nstream-a:wm-a: stopped\n" }],
  ["stop", { code: 1, stdout: "autologin-a: ERROR (no such process)\n" }],
  ["stop", { code: 1, stdout: "stream-a: ERROR (no such group)\n" }],
  ["restart", { stdout: "autologin-a: ERROR (not running)\nautologin-a: started\n" }],
  ["kill", { stdout: "media: signalled\n" }],
  ["kill", { code: 1, stdout: "stream-a:encoder-a: ERROR (not running)\n" }],
  // supervisord tries these again
  ["start", { code: 7, stdout: "stream-a:browser-a: ERROR (spawn error)\n" }],
  ["start", { code: 7, stdout: "stream-a:browser-a: ERROR (abnormal termination)\n" }],
  // streams may be called so
  ["start", { stdout: "stream-error:browser-error: started\n" }],
  ["stop", { stdout: "autologin-error: stopped\n" }],
];

const CASES: [Action, Partial<RunResult>, RegExp][] = [
  ["start", { code: 5, stdout: "stream-a:browser-a: ERROR (file is not executable)\n" }, /browser-a: ERROR/],
  ["start", { stdout: "a: started\nb: ERROR (no such file)\n" }, /b: ERROR/],
  ["start", { code: 1, stdout: "stream-a: ERROR (no such group)\n" }, /no such group/],
  ["restart", { code: 1, stdout: "x: ERROR (no such process)\n" }, /no such process/],
  [
    "start",
    { code: 1, stdout: "error: <class 'FileNotFoundError'>, [Errno 2] No such file\n" },
    /FileNotFound/,
  ],
  ["stop", { code: 2, stderr: "Error: could not find config file\n" }, /could not find config/],
  // as supervisorctl 4.2.5 answers while supervisord is down
  ["start", { code: 7, stdout: "unix:///run/supervisor.sock no such file\n" }, /no such file/],
  ["stop", { code: 7, stdout: "unix:///run/supervisor.sock refused connection\n" }, /refused connection/],
];

for (const [action, result] of FINE) {
  Deno.test(`${action}, answered ${JSON.stringify(result.stdout)}: done`, async () => {
    await control(result).supervisor[action](["x"]);
  });
}

for (const [action, result, says] of CASES) {
  Deno.test(`${action}, answered ${JSON.stringify(result.stdout || result.stderr)}: an error`, async () => {
    await assert.rejects(control(result).supervisor[action](["x"]), (error) => {
      assert.ok(error instanceof ProcessError);
      assert.match(error.message, says);
      return true;
    });
  });
}

Deno.test("groups to forget are told together, and no call is without a group, which would mean all", async () => {
  const { supervisor, calls } = control();
  await Promise.all(["a", "b", "c"].map((group) => supervisor.forget([group, `helper-${group}`])));
  await supervisor.forget(["d"]);
  assert.deepEqual(calls.map((argv) => argv.slice(3).join(" ")), [
    "update a helper-a b helper-b c helper-c",
    "update d",
  ]);
});
