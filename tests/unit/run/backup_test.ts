import assert from "node:assert/strict";
import { basename, dirname, join } from "node:path";
import { backup, writeBackup } from "../../../lib/run/backup/backup.ts";
import { restore } from "../../../lib/run/backup/restore.ts";
import { readWords, type Words } from "../../../lib/run/command/words.ts";
import { CommandError } from "../../../lib/run/command_error.ts";
import { type Config, parseConfig } from "../../../lib/config.ts";
import { type Paths, pathsOf } from "../../../lib/paths.ts";
import { formatStreamFile, parseStreamFile } from "../../../lib/model/file.ts";
import { writeFileAtomic } from "../../../lib/machine/os/files.ts";
import { run } from "../../../lib/machine/os/process.ts";
import { aStream, isThere, namesIn, tempDir } from "../../support/fixture.ts";
import { logged } from "../../support/logged.ts";

const LIST = formatStreamFile({ streams: [aStream({ name: "Clock", pass: "secret" })], wrapper: null });
const TOKENS = '{"tokens":[]}';

interface Place {
  /** Where backups go. */
  dir: string;
  config: Config;
  paths: Paths;
}

/** A data directory with all that one can have. */
async function makePlace(dir: string, files: Record<string, string>): Promise<Place> {
  const data = join(dir, "data");
  const config = parseConfig({ DATA_DIR: data, PIPELINE_DIR: data });
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(data, path)), { recursive: true });
    await Deno.writeTextFile(join(data, path), text);
  }
  return { dir, config, paths: pathsOf(config) };
}

const FILES = {
  "streams/streams.json": LIST,
  "streams/access-tokens.json": TOKENS,
  "streams/session.key": "ab".repeat(32),
  "streams/webhook.json": '{"told":{},"waiting":[]}',
  "streams/heartbeats.json": "{}",
  "streams/clock/events.jsonl": '{"half',
  "streams/what a later version adds.json": "1",
  "ca/company.crt": "certificate",
};

const LEFT_OUT = {
  "streams/.reserve": "room",
  "streams/.streams.json.1234.tmp": "half written",
  "streams/clock/thumb.jpg": "jpeg",
  "logs/clock/browser.log": "log",
  "config/nginx.conf": "generated",
  "profiles/clock/Default/Cookies": "sign-in",
  "profiles/clock/Default/Cache/data_0": "cache",
};

/** Runs a command without its words on the terminal, and gives them. */
async function quietly(work: () => Promise<unknown>): Promise<string> {
  return (await logged(work)).join("\n");
}

/** Every file below a folder with what is in it. */
async function contentOf(folder: string, below = ""): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(join(folder, below))) {
    const path = below === "" ? name : `${below}/${name}`;
    if (isDirectory) Object.assign(found, await contentOf(folder, path));
    else found[path] = await Deno.readTextFile(join(folder, path)).catch(() => "unreadable");
  }
  return found;
}

const modeOf = (path: string) => Deno.lstatSync(path).mode! & 0o7777;

const of = (...words: string[]) => readWords(words) as Words;

Deno.test("a backup restores all that cannot be made anew, and nothing else", async () => {
  await using one = await tempDir();
  await using other = await tempDir();
  const { config } = await makePlace(one.path, { ...FILES, ...LEFT_OUT });
  const file = join(one.path, "of: today.tar.gz");
  const said = await quietly(() => backup(config, of("backup", file)));
  assert.match(said, /\d kB\. Passwords are in it/);
  assert.equal(modeOf(file), 0o600);
  assert.deepEqual(await namesIn(one.path), ["data", basename(file)]);

  const { config: empty, paths } = await makePlace(other.path, {});
  await quietly(() => restore(empty, of("restore", file)));
  assert.deepEqual(await contentOf(empty.DATA_DIR), FILES);
  assert.equal(modeOf(paths.sessionSecretFile), 0o600);
  assert.equal(modeOf(join(paths.streamsDir, "clock")), 0o700);
});

Deno.test("with --profiles it has what the browsers know, without caches and links", async () => {
  await using one = await tempDir();
  await using other = await tempDir();
  const { config, paths } = await makePlace(one.path, { ...FILES, ...LEFT_OUT });
  await Deno.symlink("/etc/passwd", join(paths.profilesDir, "clock/SingletonLock"));
  const file = join(one.path, "b.tar.gz");
  await quietly(() => backup(config, of("backup", file, "--profiles")));

  const { config: later } = await makePlace(other.path, {
    "profiles/clock/Default/Cookies": "of another sign-in",
    "profiles/clock/Default/Old": "old",
    "profiles/departures/Default/Cookies": "not in the backup",
  });
  await quietly(() => restore(later, of("restore", file)));
  assert.deepEqual(await contentOf(join(later.DATA_DIR, "profiles")), {
    "clock/Default/Cookies": "sign-in",
    "departures/Default/Cookies": "not in the backup",
  });
});

Deno.test("a restore replaces what is there, and keeps it as a backup that can be restored", async () => {
  await using dir = await tempDir();
  const { config, paths } = await makePlace(dir.path, { ...FILES, ...LEFT_OUT });
  const file = join(dir.path, "b.tar.gz");
  await quietly(() => backup(config, of("backup", file)));
  await Deno.writeTextFile(paths.streamsFile, "[]");
  await Deno.remove(paths.accessTokensFile);
  await Deno.mkdir(join(paths.streamsDir, "new"));
  await Deno.writeTextFile(join(paths.streamsDir, "new/events.jsonl"), "");
  const changed = await contentOf(config.DATA_DIR);

  const said = await quietly(() => restore(config, of("restore", file)));
  assert.deepEqual(await contentOf(config.DATA_DIR), { ...FILES, ...LEFT_OUT });
  const [, before] = /The data before it: (\S+)/.exec(said)!;
  assert.equal(dirname(before), dir.path);
  assert.equal(modeOf(before), 0o600);
  await quietly(() => restore(config, of("restore", before)));
  assert.deepEqual(await contentOf(config.DATA_DIR), changed);
});

Deno.test("what is saved while the service writes is one of its lists, whole", async () => {
  await using dir = await tempDir();
  const { config, paths } = await makePlace(dir.path, FILES);
  const lists = [1, 400].map((count) => {
    const streams = Array.from({ length: count }, (_, at) => aStream({ id: `s-${at}`, order: at }));
    return formatStreamFile({ streams, wrapper: null });
  });
  let isOver = false;
  const writing = (async () => {
    for (let at = 0; !isOver; at = 1 - at) await writeFileAtomic(paths.streamsFile, lists[at], 0o600);
  })();
  try {
    for (const number of [1, 2, 3, 4, 5]) {
      const file = join(dir.path, `${number}.tar.gz`);
      await writeBackup(paths, file, false);
      const list = await run(["tar", "-xzOf", file, "streams/streams.json"], { timeoutMs: 9000 });
      assert.ok(list.stdout === LIST || lists.includes(list.stdout), `${list.stdout.length} characters`);
      parseStreamFile(list.stdout);
    }
  } finally {
    isOver = true;
    await writing;
  }
  assert.ok(config);
});

Deno.test("a backup takes no other file's place, nor one in the folder that it saves", async () => {
  await using dir = await tempDir();
  const { config, paths } = await makePlace(dir.path, FILES);
  const notes = join(dir.path, "notes.txt");
  await Deno.writeTextFile(notes, "mine");
  await assert.rejects(backup(config, of("backup", notes)), /notes\.txt is there, and is not a backup/);
  assert.equal(await Deno.readTextFile(notes), "mine");
  await assert.rejects(
    backup(config, of("backup", join(paths.streamsDir, "b.tar.gz"))),
    /is in the folder that is saved/,
  );
  const link = join(dir.path, "link");
  await Deno.symlink(notes, link);
  await assert.rejects(backup(config, of("backup", link)), /is there, and is not a backup/);
  const file = join(dir.path, "b.tar.gz");
  for (const _ of [1, 2]) await quietly(() => backup(config, of("backup", file)));
});

Deno.test("without data, or without a file, a command says what is wrong", async () => {
  await using dir = await tempDir();
  const { config } = await makePlace(dir.path, {});
  const isPlain = (pattern: RegExp) => (error: Error) =>
    error instanceof CommandError && pattern.test(error.message);
  await assert.rejects(
    backup(config, of("backup", join(dir.path, "b"))),
    isPlain(/nothing to save in .*DATA_DIR/),
  );
  await assert.rejects(restore(config, of("restore", join(dir.path, "none"))), isPlain(/There is no file/));
  assert.ok(!await isThere(config.DATA_DIR), "it made a folder");
});

/** Makes an archive in a folder that has these files, by words for tar. */
async function archive(dir: string, files: Record<string, string>, words: string[]): Promise<string> {
  const stage = join(dir, "stage");
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(stage, path)), { recursive: true });
    await Deno.writeTextFile(join(stage, path), text);
  }
  await Deno.symlink("/etc/passwd", join(stage, "link"));
  await Deno.link(join(stage, "list"), join(stage, "list-too"));
  assert.equal((await run(["mkfifo", join(stage, "pipe")], { timeoutMs: 9000 })).code, 0);
  const file = join(dir, "hostile.tar.gz");
  const argv = ["tar", "-czPf", file, "-C", stage, ...words];
  const { code, stderr } = await run(argv, { timeoutMs: 9000 });
  assert.equal(code, 0, stderr);
  return file;
}

const MANIFEST = {
  "backup.json": '{"format":1,"version":"1.0.0","madeAt":"now","hasProfiles":false}',
  list: "[]",
};
const into = (name: string) => `--transform=flags=rSH;s,^list$,${name},`;

const HOSTILE: Record<string, [files: Record<string, string>, words: string[], says: RegExp]> = {
  "a path above the folder": [
    {},
    [into("streams/../../evil"), "backup.json", "list"],
    /leads out of its folder/,
  ],
  "a path from the root": [{}, [into("/tmp/bs-evil"), "backup.json", "list"], /leads out of its folder/],
  "a path of its own": [{}, [into("logs/evil"), "backup.json", "list"], /does not belong in a backup/],
  "a path with a dot": [
    {},
    [into("./streams/streams.json"), "backup.json", "list"],
    /leads out of its folder/,
  ],
  "a link": [
    {},
    ["--transform=flags=r;s,^link,streams/streams.json,", "backup.json", "link"],
    /such as a link/,
  ],
  "a second name": [{}, ["backup.json", into("streams/a"), "list", "list-too"], /such as a link/],
  "a pipe": [
    {},
    ["--transform=s,^pipe,streams/streams.json,", "backup.json", "pipe"],
    /something other than files and folders, such as a link/,
  ],
  "no stream's profile": [{}, [into("profiles/..x/a"), "backup.json", "list"], /is not a stream's profile/],
  "two of one name": [{ other: "" }, [
    ...["--transform=s,^(list|other)$,streams/a,x", "backup.json", "list", "other"],
    "--hard-dereference",
  ], /is in it twice/],
  "nothing of itself": [{}, [into("streams/streams.json"), "list"], /it has no backup\.json/],
  "a later format": [
    { "backup.json": '{"format":2,"version":"9.0"}' },
    ["backup.json"],
    /a later version \(9\.0\)/,
  ],
  "another manifest": [{ "backup.json": "[]" }, ["backup.json"], /manifest is missing or damaged/],
  "no list of streams": [{ "streams/streams.json": "[{]" }, ["backup.json", "streams"], /not valid JSON/],
  "no stream": [{ "streams/streams.json": '[{"name":""}]' }, ["backup.json", "streams"], /stream 1/],
  "no list of walls": [{ "streams/walls.json": "{}" }, ["backup.json", "streams"], /no list "walls"/],
  "no list of tokens": [
    { "streams/access-tokens.json": "{}" },
    ["backup.json", "streams"],
    /no list "tokens"/,
  ],
};

for (const [name, [files, words, says]] of Object.entries(HOSTILE)) {
  Deno.test(`an archive with ${name} is refused, and nothing is changed`, async () => {
    await using dir = await tempDir();
    const { config } = await makePlace(dir.path, FILES);
    const file = await archive(dir.path, { ...MANIFEST, ...files }, words);
    const before = [await contentOf(config.DATA_DIR), await namesIn(dir.path)];
    await assert.rejects(
      quietly(() => restore(config, of("restore", file))),
      (error: Error) =>
        error instanceof CommandError && says.test(error.message) &&
        /is not a backup .* Nothing was changed/s.test(error.message),
    );
    assert.deepEqual([await contentOf(config.DATA_DIR), await namesIn(dir.path)], before);
    assert.ok(!await isThere("/tmp/bs-evil"));
  });
}

Deno.test("what is no archive, or half of one, is refused, and nothing is changed", async () => {
  await using dir = await tempDir();
  const { config, paths } = await makePlace(dir.path, FILES);
  const file = join(dir.path, "b.tar.gz");
  await writeBackup(paths, file, false);
  const whole = await Deno.readFile(file);
  for (
    const bytes of [new Uint8Array(), new TextEncoder().encode("text"), whole.subarray(0, whole.length / 2)]
  ) {
    await Deno.writeFile(file, bytes);
    await assert.rejects(restore(config, of("restore", file)), /is not a backup of this service/);
  }
  assert.deepEqual(await contentOf(config.DATA_DIR), FILES);
});

/** Does something in the moment before tar starts, as who owns the folder of an archive could. */
async function beforeTar(
  does: "--create" | "--extract",
  act: () => void,
  work: () => Promise<unknown>,
): Promise<void> {
  const { Command } = Deno;
  Deno.Command = class extends Command {
    constructor(program: string | URL, options?: Deno.CommandOptions) {
      if (options?.args?.includes(does)) act();
      super(program, options);
    }
  };
  await work().finally(() => Deno.Command = Command);
}

Deno.test("who puts a link in the place of a backup that is written gets nothing written elsewhere", async () => {
  await using dir = await tempDir();
  const { config } = await makePlace(dir.path, FILES);
  const other = join(dir.path, "other");
  await Deno.writeTextFile(other, "root's");
  const swap = () => {
    const [half] = [...Deno.readDirSync(dir.path)].filter(({ name }) => name.endsWith(".tmp"));
    Deno.removeSync(join(dir.path, half.name));
    Deno.symlinkSync(other, join(dir.path, half.name));
  };
  const making = beforeTar(
    "--create",
    swap,
    () => quietly(() => backup(config, of("backup", join(dir.path, "b.tar.gz")))),
  );
  await assert.rejects(making, /another program has replaced it/);
  assert.equal(await Deno.readTextFile(other), "root's");
});

Deno.test("what was checked is what is restored: not another file in its place, nor other bytes in it", async () => {
  await using dir = await tempDir();
  const { config } = await makePlace(dir.path, FILES);
  const [file, moved] = ["b.tar.gz", "moved.tar.gz"].map((name) => join(dir.path, name));
  await quietly(() => backup(config, of("backup", file)));
  const hostile = await archive(dir.path, { ...MANIFEST, "streams/a": "x" }, ["backup.json", "streams"]);
  const replace = () => {
    Deno.renameSync(file, moved);
    Deno.copyFileSync(hostile, file);
  };
  await beforeTar("--extract", replace, () => quietly(() => restore(config, of("restore", file))));
  assert.deepEqual(await contentOf(config.DATA_DIR), FILES);
  const overwrite = () => Deno.writeFileSync(moved, Deno.readFileSync(hostile));
  await assert.rejects(
    beforeTar("--extract", overwrite, () => quietly(() => restore(config, of("restore", moved)))),
    /another program changes it meanwhile. Nothing was changed/,
  );
  assert.deepEqual(await contentOf(config.DATA_DIR), FILES);
});
