import assert from "node:assert/strict";
import { runCommand } from "../../../lib/run/commands.ts";
import { bashCompletion } from "../../../lib/run/command/completion.ts";
import { readWords, type Words } from "../../../lib/run/command/words.ts";
import { VARIABLES } from "../../../lib/config.ts";
import { COMMANDS, namesOfGroup } from "../../../lib/run/command/table.ts";
import { setLogFormat, setLogLevel } from "../../../lib/machine/tools/log.ts";
import { VERSION, versionText } from "../../../lib/machine/tools/version.ts";
import { STREAM_ID } from "../../../lib/model/id.ts";

/** Runs the command line until it would end the process. */
async function run(args: string[]) {
  const output: string[] = [];
  const errors: string[] = [];
  const codes: (number | undefined)[] = [];
  const { log, error } = console;
  const { exit } = Deno;
  const format = setLogFormat("text");
  const level = setLogLevel("info");
  console.log = (line: unknown) => output.push(String(line));
  console.error = (line: unknown) => errors.push(String(line));
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
  return { output: output.join("\n"), errors: errors.join("\n"), code: codes.at(0) };
}

Deno.test("the help lists the commands for people, and with --all each command and variable", async () => {
  for (const args of [[], ["--help"], ["-h"], ["help"]]) {
    const { output, errors, code } = await run(args);
    assert.deepEqual([errors, code], ["", undefined], args.join(" "));
    assert.ok(output.split("\n").length < 40, "it fits a screen");
    for (const [name, { isInner }] of Object.entries(COMMANDS)) {
      assert.equal(output.includes(`\n  ${name} `), !isInner, name);
    }
    assert.ok(!output.includes("DATA_DIR"));
  }
  for (const args of [["--help", "--all"], ["help", "--all"]]) {
    const { output, code } = await run(args);
    assert.equal(code, undefined);
    for (const word of [...Object.keys(COMMANDS), ...Object.keys(VARIABLES)]) {
      assert.match(output, new RegExp(`^  ${word}\\b`, "m"), word);
    }
    for (const line of output.split("\n")) assert.ok(line.length <= 160, line);
  }
});

Deno.test("every command has a help, with its options and an example, and does nothing else", async () => {
  const wrong: string[] = [];
  for (const [name, { operands = [], options = {}, example }] of Object.entries(COMMANDS)) {
    const words = name.split(" ");
    const given = operands.map(({ choices }) => choices?.[0] ?? "clock");
    for (
      const args of [
        ["help", ...words],
        [...words, "--help"],
        [...words, "-h"],
        [...words, ...given, "--help"],
        [...words, "--no-such-option", "--help"],
      ]
    ) {
      const { output, errors, code } = await run(args);
      const parts = [
        `Usage: browser-stream ${name}`,
        `Example: ${example}`,
        ...operands.map((one) => one.name),
      ];
      const isWhole = [...parts, ...Object.keys(options).map((option) => `--${option}`)].every((part) =>
        output.includes(part)
      );
      // "help --help" is the help of all
      if (name !== "help" && (!isWhole || errors !== "" || code !== undefined)) wrong.push(args.join(" "));
    }
  }
  for (const group of ["user", "cluster"]) {
    for (const args of [["help", group], [group, "--help"], [group, "-h"]]) {
      const { output, errors, code } = await run(args);
      const isWhole = namesOfGroup(group).every((name) => output.includes(`\n  ${name} `));
      if (!isWhole || errors !== "" || code !== undefined) wrong.push(args.join(" "));
    }
  }
  assert.deepEqual(wrong, []);
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

/** Words that are no command, and what is said of them. */
const WRONG: [words: string, says: RegExp][] = [
  ["frobnicate", /^There is no command "frobnicate"\.\n/],
  ["docter", /^There is no command "docter"\. Did you mean "doctor"\?\n/],
  ["upgarde --help", /Did you mean "upgrade"\?/],
  ["supervise --help", /^There is no command "supervise"\.\n/],
  ["hlep", /Did you mean "help"\?/],
  ["--versions", /^There is no option "--versions"\. Did you mean "--version"\?/],
  ["-x", /^There is no option "-x"/],
  ["__proto__", /^There is no command "__proto__"/],
  ["constructor", /^There is no command "constructor"/],
  ["toString a", /^There is no command "toString"/],
  ["help docter", /Did you mean "doctor"\?/],
  ["help __proto__", /^There is no command "__proto__"/],
  ["up now", /^up: "now" is one word too many\.\nUsage: browser-stream up\nMore: browser-stream up --help$/],
  ["up --port=80", /^up: there is no option "--port"/],
  [
    "doctor --jsno",
    /^doctor: there is no option "--jsno"\. Did you mean "--json"\?\nUsage: browser-stream doctor \[--json\]/,
  ],
  ["doctor -j", /^doctor: there is no option "-j"/],
  ["doctor --json=yes", /"--json" has no value/],
  ["doctor --json --json", /"--json" is given twice/],
  ["doctor --__proto__", /there is no option "--__proto__"/],
  ["doctor --constructor", /there is no option "--constructor"/],
  ["backup", /^backup: FILE is missing\.\nUsage: browser-stream backup FILE \[--profiles\]/],
  ["backup a b", /"b" is one word too many/],
  ["backup a --all", /there is no option "--all"/],
  ["restore", /FILE is missing/],
  ["install --root", /"--root" needs a value: --root=DIR/],
  ["install --root=", /"--root" needs a value: --root=DIR/],
  ["user", /^user needs one more word\.\nUsage: browser-stream user list\|add\|password\|role\|remove$/],
  ["user lst", /^There is no command "user lst"\. Did you mean "list"\?/],
  ["user add", /^user add: NAME is missing/],
  ["user add vera secret", /"secret" is one word too many/],
  ["user add vera --role=boss", /^"boss" is not viewer, operator or admin\./],
  ["user role vera admn", /Did you mean "admin"\?/],
  ["cluster", /cluster needs one more word/],
  ["cluster drian", /Did you mean "drain"\?/],
  ["completion zsh", /^"zsh" is not bash\./],
  ["browser", /^browser: ID is missing/],
  ["serve --ports", /Did you mean "--port"\?/],
];
const BAD_IDS = ["../x", "A", "a/b", "__proto__", "$(x)", "a\n", "a".repeat(64)];

Deno.test("words that are no command are named on stderr, in some lines and with the nearest, and end with 2", async () => {
  const wrong: string[] = [];
  const rows = [
    ...WRONG.map(([words, says]) => [words.split(" "), says] as const),
    [[""], /There is no command ""/] as const,
  ];
  for (const [args, says] of rows) {
    const { output, errors, code } = await run([...args]);
    if (output !== "" || !says.test(errors) || code !== 2 || errors.split("\n").length > 3) {
      wrong.push(`${args.join(" ")}: ${errors}`);
    }
  }
  for (const id of BAD_IDS) {
    assert.ok(!STREAM_ID.test(id));
    const { errors, code } = await run(["encoder", id]);
    if (code !== 2 || !errors.includes("is not a stream's id")) wrong.push(id);
  }
  assert.deepEqual(wrong, []);
});

Deno.test("options may stand anywhere, and a value behind its option", () => {
  const rows: [words: string, expected: unknown][] = [
    ["backup --profiles a.tar.gz", ["backup", ["a.tar.gz"], { profiles: true }]],
    ["backup a.tar.gz --profiles", ["backup", ["a.tar.gz"], { profiles: true }]],
    ["backup -- --profiles", ["backup", ["--profiles"], {}]],
    ["user add --role admin anna", ["user add", ["anna"], { role: "admin" }]],
    ["user add anna --role=admin", ["user add", ["anna"], { role: "admin" }]],
    ["encoder clock", ["encoder", ["clock"], {}]],
    ["serve --port", ["serve", [], { port: true }]],
    ["up", ["up", [], {}]],
    ["-V", ["version", [], {}]],
  ];
  for (const [words, expected] of rows) {
    const { name, operands, options } = readWords(words.split(" ")) as Words;
    assert.deepEqual([name, operands, { ...options }], expected, words);
  }
});

Deno.test("bash completes commands, their words, options and values", async () => {
  const rows: [line: string, expected: string[]][] = [
    ["browser-stream do", ["doctor"]],
    ["browser-stream up", ["up", "upgrade"]],
    ["browser-stream doctor --", ["--json", "--help"]],
    ["browser-stream user r", ["role", "remove"]],
    ["browser-stream user add anna --", ["--role=", "--help"]],
    ["browser-stream user add anna --role = op", ["operator"]],
    ["browser-stream user add anna --role =", ["viewer", "operator", "admin"]],
    ["browser-stream user role anna a", ["admin"]],
    ["browser-stream cluster d", ["drain"]],
    ["browser-stream help ba", ["backup"]],
    ["browser-stream backup /etc/debian_v", ["/etc/debian_version"]],
    ["browser-stream completion ", ["bash", "--help"]],
    ["browser-stream encoder ", []],
  ];
  const script = `${bashCompletion()}
for line in "$@"; do
  mapfile -d " " -t COMP_WORDS < <(printf %s "$line"); [[ $line == *" " ]] && COMP_WORDS+=("")
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)) COMPREPLY=()
  _browser_stream; (IFS=,; echo "\${COMPREPLY[*]}")
done`;
  const { stdout, stderr } = await new Deno.Command("bash", {
    args: ["--norc", "-c", script, "bash", ...rows.map(([line]) => line)],
  }).output();
  assert.equal(new TextDecoder().decode(stderr), "");
  const lines = new TextDecoder().decode(stdout).split("\n");
  assert.deepEqual(
    rows.map(([line], at) => [line, lines[at]]),
    rows.map(([line, all]) => [line, all.join(",")]),
  );
});
