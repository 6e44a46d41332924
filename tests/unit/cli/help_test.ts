import assert from "node:assert/strict";
import { HELP, runCommand } from "../../../lib/cli/commands.ts";
import { VARIABLES } from "../../../lib/config.ts";
import { HELPER_PROGRAMS, PIPELINE_PROGRAMS } from "../../../lib/model/programs.ts";
import { setLogFormat, setLogLevel } from "../../../lib/system/log.ts";
import { VERSION, versionText } from "../../../lib/system/version.ts";
import { STREAM_ID } from "../../../lib/model/id.ts";

/** Runs the command line until it would end the process. */
async function run(args: string[]) {
  const output: string[] = [];
  const codes: (number | undefined)[] = [];
  const { log, error } = console;
  const { exit } = Deno;
  const format = setLogFormat("text");
  const level = setLogLevel("info");
  console.log = console.error = (line: unknown) => output.push(String(line));
  Deno.exit = (code) => {
    codes.push(code);
    throw new Error("the process ends");
  };
  try {
    await runCommand(
      args,
      { root: "/nowhere", executable: [] },
      () => assert.fail("the web app was started"),
    );
  } catch (error) {
    if (codes.length === 0) throw error;
  } finally {
    Object.assign(console, { log, error });
    Deno.exit = exit;
    setLogFormat(format);
    setLogLevel(level);
  }
  return { output: output.join("\n"), code: codes.at(0) };
}

Deno.test("the help names every command and every variable", () => {
  const commands = [
    "up",
    "doctor",
    "backup",
    "restore",
    "install",
    "upgrade",
    "uninstall",
    "serve",
    "front",
    "media",
    "vnc-proxy",
    "capture",
    ...PIPELINE_PROGRAMS,
    ...HELPER_PROGRAMS,
  ];
  for (const word of [...commands, ...Object.keys(VARIABLES)]) {
    assert.match(HELP, new RegExp(`\\b${word}\\b`), word);
  }
  for (const line of HELP.split("\n")) assert.ok(line.length <= 160, line);
});

Deno.test("--version says the version, the commit where it is known, and Deno's", async () => {
  const { output, code } = await run(["--version"]);
  assert.equal(code, undefined);
  assert.equal(
    output,
    `browser-stream ${VERSION} (Deno ${Deno.version.deno})`,
    "of a source nobody knows the commit",
  );
  assert.equal(
    versionText("24a4223bf874"),
    `browser-stream ${VERSION} (commit 24a4223bf874, Deno ${Deno.version.deno})`,
  );
});

Deno.test("no command, or a question, gets the help", async () => {
  for (const args of [[], ["--help"], ["-h"], ["help"]]) {
    assert.deepEqual(await run(args), { output: HELP, code: undefined });
  }
});

const UNKNOWN = [["frobnicate"], ["--versions"], ["__proto__"], ["constructor"], ["toString", "a"], [""], [
  "browser",
]];
const BAD_IDS = ["", "../x", "--x", "A", "a/b", "__proto__", "$(x)", "a\n", "a".repeat(64)];

Deno.test("what is no command, or no id, ends with code 2 and the help", async () => {
  for (const args of [...UNKNOWN, ...BAD_IDS.map((id) => ["encoder", id])]) {
    assert.ok(!STREAM_ID.test(args[1] ?? "") || args[0] === "toString");
    const { output, code } = await run(args);
    assert.equal(code, 2, args.join(" "));
    assert.ok(output.includes("There is no command") && output.includes(HELP));
  }
});
