/** Another user of the machine who takes the name of a folder of ours, in a folder of all users. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { makeSocketFolder } from "../../../lib/run/run_dir.ts";
import { takePlace } from "../../../lib/machine/os/take_place.ts";
import { namesIn, tempDir } from "../../support/fixture.ts";
import { logged } from "../../support/logged.ts";
import { needsRoot } from "../../support/needs_root.ts";

/** Commands of a shell that any user can give, with what they make as $1. */
const ENTRIES: Record<string, string> = {
  "an empty folder": 'mkdir "$1"',
  "a folder with a folder": 'mkdir -p "$1/x"',
  "a file": 'echo > "$1"',
  "a pipe": 'mkfifo "$1"',
  "a link": 'ln -s /etc "$1"',
};

const AS = ["--reuid=65534", "--regid=65534", "--clear-groups", "--", "sh", "-c"];

/** A folder like /tmp. */
async function sharedFolder() {
  const dir = await tempDir();
  await Deno.chmod(dir.path, 0o1777);
  return dir;
}

needsRoot("root takes the place of whatever another user has made, and it stays beside", async () => {
  for (const [name, command] of Object.entries(ENTRIES)) {
    await using dir = await sharedFolder();
    const path = join(dir.path, "ours");
    await new Deno.Command("setpriv", { args: [...AS, command, "-", path] }).output();
    const said = await logged(async () => assert.ok(await takePlace(path), name), "warn");
    assert.match(said.join(), /set aside/);
    const { isDirectory, uid, mode } = await Deno.lstat(path);
    assert.deepEqual([isDirectory, uid, mode! & 0o777], [true, 0, 0o755], name);
    assert.deepEqual(await namesIn(path), [], name);
    assert.ok((await namesIn(dir.path)).length === 2, name);
    assert.equal(await takePlace(path), false, "it is ours");
  }
});

needsRoot("who makes it again and again is not faster", async () => {
  await using dir = await sharedFolder();
  const path = join(dir.path, "ours");
  const again = `while :; do mkdir "$1" "$1/x"; done 2> /dev/null`;
  const child = new Deno.Command("setpriv", { args: [...AS, again, "-", path] }).spawn();
  try {
    while (!await Deno.lstat(path).catch(() => null)) { /* until it is there */ }
    await logged(async () => assert.ok(await takePlace(path)), "warn");
    assert.equal((await Deno.lstat(path)).uid, 0);
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
});

needsRoot(
  "a folder of the displays' sockets that another user made first is root's after a start",
  async () => {
    await using dir = await sharedFolder();
    const path = join(dir.path, ".X11-unix");
    await Deno.mkdir(path);
    await Deno.chown(path, 65_534, 65_534);
    await logged(() => makeSocketFolder(path), "warn");
    const { uid, mode } = await Deno.lstat(path);
    assert.deepEqual([uid, mode! & 0o7777], [0, 0o1777]);
  },
);
