import assert from "node:assert/strict";
import { join } from "node:path";
import { HELPER_PROGRAMS, PIPELINE_PROGRAMS } from "../../../../lib/model/programs.ts";
import {
  controlName,
  groupsOf,
  programFile,
  programFileIds,
  supervisorCommand,
  supervisorValue,
  writePrograms,
} from "../../../../lib/machine/supervisor/program_files.ts";
import { loadTemplates, render } from "../../../../lib/templates.ts";
import { streamId } from "../../../../lib/model/id.ts";
import { namesIn, root, tempDir } from "../../../support/fixture.ts";

/** What supervisord makes of a value: its expansion, then Python's shlex.split. */
function argvOf(value: string): string[] {
  const expanded = value.replace(/%(.)/g, (_, next) => next === "%" ? "%" : assert.fail(`%${next} expands`));
  const words = expanded.match(/(?:"(?:\\.|[^"\\])*"|[^\s"\\])+/g) ?? [];
  return words.map((word) => word.replace(/^"|"$/g, "").replace(/\\(["\\])/g, "$1"));
}

Deno.test("a command comes out of supervisord's parsing as it went in", () => {
  const words = [
    "/opt/my app/run",
    "100%",
    "%(ENV_HOME)s",
    'say "hi"',
    "back\\slash",
    "it's",
    "$(x)",
    "`x`",
    "a=b",
  ];
  assert.deepEqual(argvOf(supervisorCommand(words)), words);
  assert.equal(supervisorCommand(["/usr/bin/deno", "run", "-A"]), "/usr/bin/deno run -A");
  assert.equal(supervisorCommand(["a", "", "b"]), 'a "" b');
});

Deno.test("a comment cannot begin inside a value: ' ;' and ' #' would cut it", () => {
  for (const word of ["/a ;b/run", "/a #b/run"]) {
    assert.throws(() => supervisorCommand([word]), word);
    assert.throws(() => supervisorValue(word), word);
  }
});

Deno.test("no value holds a line break or NUL", () => {
  for (const bad of ["a\n[program:x]", "a\rb", "a\0b"]) {
    assert.throws(() => supervisorValue(bad));
    assert.throws(() => supervisorCommand([bad]));
  }
  assert.equal(supervisorValue("/data/50%"), "/data/50%%");
});

Deno.test("names of programs and groups", () => {
  assert.equal(controlName("encoder", streamId("a-b")), "stream-a-b:encoder-a-b");
  assert.equal(controlName("autologin", streamId("a")), "autologin-a");
  assert.deepEqual(groupsOf(streamId("a")), ["stream-a", "autologin-a", "autoreload-a", "push-a"]);
});

async function files(name: string) {
  const id = streamId(name);
  const dir = await tempDir();
  const templates = await loadTemplates(root);
  const paths = {
    programsDir: join(dir.path, "programs"),
    logsDir: join(dir.path, "logs"),
    runDir: "/run/50%",
  };
  await Deno.mkdir(paths.programsDir);
  const given = { templates, executable: ["/opt/my app/run", "-A"], ...paths };
  return {
    dir,
    given,
    write: () => writePrograms(given, id, { name: "me", uid: Deno.uid()!, gid: Deno.gid()! }),
    read: () => Deno.readTextFile(programFile(given, id)),
  };
}

Deno.test("a stream's file has one section a program, with its id and nothing else of the user's", async () => {
  const { dir, given, write, read } = await files("my-id");
  await using _ = dir;
  assert.equal(await write(), true);
  const text = await read();
  const sections = [...text.matchAll(/^\[(.*)\]$/gm)].map(([, name]) => name);
  const kinds = [...PIPELINE_PROGRAMS, ...HELPER_PROGRAMS];
  assert.deepEqual(sections, ["group:stream-my-id", ...kinds.map((kind) => `program:${kind}-my-id`)]);
  assert.ok(text.includes(`programs=${PIPELINE_PROGRAMS.map((kind) => `${kind}-my-id`)}\n`));
  const commands = [...text.matchAll(/^command=(.*)$/gm)].map(([, command]) => argvOf(command));
  assert.deepEqual(commands, kinds.map((kind) => ["/opt/my app/run", "-A", kind, "my-id"]));
  assert.doesNotMatch(text, /\{\{|\}\}/);
  assert.ok(text.includes("directory=/run/50%%\n"));
  const resident = [
    ...text.matchAll(/^\[program:(\w+)-my-id\]$(?:(?!^\[)[^])*?^environment=DENO_DIR="\/dev\/null"$/gm),
  ];
  assert.deepEqual(
    resident.map(([, kind]) => kind),
    HELPER_PROGRAMS,
    "helpers do not hold root's code cache",
  );
  assert.deepEqual(await namesIn(given.logsDir), ["my-id"]);
  assert.equal((await Deno.stat(join(given.logsDir, "my-id"))).mode! & 0o777, 0o750);
});

Deno.test("two streams' files differ by the id alone; writing again changes nothing", async () => {
  const [one, two] = [await files("one"), await files("two")];
  await using _one = one.dir;
  await using _two = two.dir;
  await one.write();
  await two.write();
  assert.equal(
    (await one.read()).replaceAll("one", "two").replaceAll(one.dir.path, two.dir.path),
    await two.read(),
  );
  assert.equal(await one.write(), false);
});

Deno.test("the streams that have a file are known by its name, and nothing else is one", async () => {
  const given = await files("my-id");
  await using _dir = given.dir;
  const { programsDir } = given.given;
  await given.write();
  for (const name of ["My Notes.conf", "other.txt"]) await Deno.writeTextFile(join(programsDir, name), "");
  assert.deepEqual(await programFileIds(programsDir), ["my-id"]);
});

Deno.test("templates: every name needs a value, and a value is never read as a template", () => {
  assert.equal(render("{{a}}-{{b}}", { a: "{{b}} $& $1", b: 2 }), "{{b}} $& $1-2");
  assert.throws(() => render("{{a}}", {}), /\{\{a\}\} is missing/);
  assert.throws(() => render("{{constructor}}", {}), /is missing/);
});
