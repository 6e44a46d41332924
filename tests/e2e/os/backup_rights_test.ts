/** What the web app's or a stream's user puts in the way of a backup and a restore that root makes. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { parseConfig } from "../../../lib/config.ts";
import { run } from "../../../lib/machine/os/process.ts";
import { namesIn, root, tempDir } from "../../support/fixture.ts";
import { needsRoot } from "../../support/needs_root.ts";
import { inOwnProcess } from "../../support/own_process.ts";
import { hasAllTests, inSoak } from "../../support/soak.ts";

const WEB = 60_600;
const STREAM = 60_601;
const SECRET = "only root reads this";

const FILES = {
  "streams/streams.json": "[]",
  "streams/clock/events.jsonl": "{}\n",
  "ca/company.crt": "certificate",
  "profiles/clock/Default/Cookies": "sign-in",
};

interface Place {
  dir: string;
  data: string;
  backup(file: string): Promise<string>;
  restore(file: string): Promise<string>;
}

/** A service's data as a start leaves it, and what root has beside it. */
function placeTest(name: string, test: (place: Place) => Promise<void>): void {
  needsRoot(name, async () => {
    await using dir = await tempDir();
    await Deno.chmod(dir.path, 0o755);
    const data = join(dir.path, "data");
    for (const [path, text] of Object.entries(FILES)) {
      await Deno.mkdir(dirname(join(data, path)), { recursive: true });
      await Deno.writeTextFile(join(data, path), text, { mode: 0o600 });
    }
    await Deno.mkdir(join(dir.path, "roots"), { mode: 0o700 });
    await Deno.writeTextFile(join(dir.path, "roots/events.jsonl"), SECRET, { mode: 0o600 });
    await Deno.writeTextFile(join(dir.path, "roots/Cookies"), SECRET, { mode: 0o600 });
    const own = [[WEB, "streams"], [WEB, "ca"], [STREAM, "profiles/clock"]] as const;
    for (const [uid, folder] of own) await must(["chown", "-R", `${uid}:${uid}`, join(data, folder)]);
    const config = JSON.stringify(parseConfig({ DATA_DIR: data, PIPELINE_DIR: data }));
    const command = (name: string, ...args: string[]) =>
      inOwnProcess(
        `lib/run/backup/${name}.ts`,
        `import { readWords } from "${root}lib/run/command/words.ts";
        console.error = console.log;
        await m.${name}(${config}, readWords(${JSON.stringify([name, ...args])}))
          .catch((error) => console.log(error.message));`,
      );
    await test({
      dir: dir.path,
      data,
      backup: (file) => command("backup", file, "--profiles"),
      restore: (file) => command("restore", file),
    });
  });
}

async function must(argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(argv, { timeoutMs: 30_000 });
  assert.equal(code, 0, stderr);
  return stdout;
}

/** All bytes of an archive's files. */
const contentOf = (file: string) => must(["tar", "-xzOf", file]);

/** What root's folder must still be. */
async function assertUntouched({ dir }: Place): Promise<void> {
  const folder = join(dir, "roots");
  const { uid, mode } = await Deno.lstat(folder);
  assert.deepEqual([uid, mode! & 0o777], [0, 0o700]);
  assert.deepEqual(await namesIn(folder), ["Cookies", "events.jsonl"]);
  for (const name of ["Cookies", "events.jsonl"]) {
    assert.equal(await Deno.readTextFile(join(folder, name)), SECRET);
    assert.equal((await Deno.lstat(join(folder, name))).uid, 0);
  }
}

placeTest("a backup has nothing that a link leads to, and a restore changes nothing there", async (place) => {
  const { dir, data } = place;
  const [before, after] = ["before.tar.gz", "after.tar.gz"].map((name) => join(dir, name));
  await place.backup(before);
  const replace = async (path: string, target: string) => {
    await Deno.remove(join(data, path), { recursive: true });
    await Deno.symlink(target, join(data, path));
  };
  await replace("streams/clock", join(dir, "roots"));
  await replace("streams/streams.json", join(dir, "roots/events.jsonl"));
  await replace("profiles/clock/Default", join(dir, "roots"));
  await place.backup(after);
  const saved = await contentOf(after);
  assert.ok(!saved.includes(SECRET), saved);

  await place.restore(before);
  await assertUntouched(place);
  for (const path of ["streams/streams.json", "streams/clock/events.jsonl", "ca/company.crt"] as const) {
    assert.equal(await Deno.readTextFile(join(data, path)), FILES[path]);
    const { uid, gid, isSymlink } = await Deno.lstat(join(data, path));
    assert.deepEqual([uid, gid, isSymlink], [WEB, WEB, false], path);
  }
});

placeTest(
  "links that are swapped in all the time lead neither command to what is root's",
  async (place) => {
    const { dir, data } = place;
    const file = join(dir, "good.tar.gz");
    await place.backup(file);
    // the folder of a stream, and one in a profile, are by turns what they should be and a link to root's folder
    const swap = `
import os, sys
target, place, name = sys.argv[1:]
os.chdir(place)
while True:
    try:
        os.rename(name, name + ".kept"); os.symlink(target, name)
        os.unlink(name); os.rename(name + ".kept", name)
    except OSError:
        for undo in (lambda: os.unlink(name), lambda: os.rename(name + ".kept", name)):
            try: undo()
            except OSError: pass
`;
    const swappers = [[WEB, "streams", "clock"], [STREAM, "profiles/clock", "Default"]].map((
      [uid, folder, name],
    ) =>
      new Deno.Command("setpriv", {
        args: [
          ...[`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--pdeathsig=KILL", "--"],
          ...["/usr/bin/python3", "-c", swap, join(dir, "roots"), join(data, String(folder)), String(name)],
        ],
        cwd: "/",
        stderr: "null",
      }).spawn()
    );
    try {
      for (let round = 0; round < (hasAllTests() ? 4 : 1); round++) {
        const saved = join(dir, `${round}.tar.gz`);
        await place.backup(saved);
        if ((await namesIn(dir)).includes(`${round}.tar.gz`)) {
          assert.ok(!(await contentOf(saved)).includes(SECRET), `round ${round}`);
        }
        await place.restore(file);
        await assertUntouched(place);
      }
    } finally {
      for (const swapper of swappers) {
        swapper.kill("SIGKILL");
        await swapper.status;
      }
    }
    await place.restore(file);
    await assertUntouched(place);
    assert.equal(
      await Deno.readTextFile(join(data, "streams/clock/events.jsonl")),
      FILES["streams/clock/events.jsonl"],
    );
  },
);

placeTest(
  "a file that is all holes fills no disk: it is left out by name, the others are saved",
  async (place) => {
    const { dir, data } = place;
    const sparse = async (path: string, bytes: number) => {
      (await Deno.open(join(data, path), { write: true, create: true })).close();
      await Deno.truncate(join(data, path), bytes);
    };
    const TERABYTE = 1024 ** 4;
    await sparse("streams/clock/big.jsonl", TERABYTE);
    await sparse("streams/just too large", 64 * 1024 ** 2 + 1);
    await sparse("profiles/clock/Default/History", TERABYTE);
    await Deno.mkdir(join(data, "profiles/other"));
    await Deno.writeTextFile(join(data, "profiles/other/Cookies"), "another sign-in");
    const file = join(dir, "b.tar.gz");
    const said = await place.backup(file);
    const left = said.match(/^Left out because it is too large: .*$/gm)?.map((line) =>
      line.split(`${data}/`)[1]
    );
    assert.deepEqual(left?.sort(), ["profiles/clock", "streams/clock/big.jsonl", "streams/just too large"]);
    const names = (await must(["tar", "-tzf", file])).trim().split("\n").filter((name) =>
      !name.endsWith("/")
    );
    assert.deepEqual(names.sort(), [
      ...["backup.json", "ca/company.crt", "profiles/other/Cookies"],
      ...["streams/clock/events.jsonl", "streams/streams.json"],
    ]);
    assert.match(await place.restore(file), /Restored/);
  },
);

inSoak(placeTest)(
  "a folder with more names than a service has is told, and not read into memory",
  async (place) => {
    const make = "for (1..70000) { open my $f, '>', $_ . ('x' x 245) or die }";
    const { code } = await new Deno.Command("perl", { args: ["-e", make], cwd: join(place.data, "streams") })
      .output();
    assert.equal(code, 0);
    assert.match(
      await place.backup(join(place.dir, "b.tar.gz")),
      /streams cannot be listed: more files than a service has/,
    );
  },
);

placeTest("profiles in a normal user's folder are not worked on by root", async (place) => {
  const file = join(place.dir, "b.tar.gz");
  await place.backup(file);
  await Deno.chown(join(place.data, "profiles"), STREAM, STREAM);
  for (const said of [await place.backup(join(place.dir, "c.tar.gz")), await place.restore(file)]) {
    assert.match(said, /profiles belongs to user 60601\. Run this as that user/);
  }
  assert.deepEqual(await namesIn(join(place.data, "profiles")), ["clock"]);
});
