import assert from "node:assert/strict";
import { join } from "node:path";
import { browserCommand } from "../../../lib/live/programs/commands/browser.ts";
import { picturesFolder, slotPaths, vncSocket } from "../../../lib/paths.ts";
import { audioCommand } from "../../../lib/live/programs/commands/audio.ts";
import {
  displayCommand,
  displayKeymap,
  displayLock,
  isAnothersDisplay,
  isDisplayFree,
  isDisplayUp,
  lockOwner,
  ownedSocket,
  removeStaleDisplay,
} from "../../../lib/display/display.ts";
import { displaySocket } from "../../../lib/live/programs/commands/spec.ts";
import { abstractListener } from "../../../lib/machine/os/abstract_socket.ts";
import { encoderCommand } from "../../../lib/live/programs/commands/encoder.ts";
import { Displays } from "../../../lib/display/displays.ts";
import { run } from "../../../lib/machine/os/process.ts";
import { streamId } from "../../../lib/model/id.ts";
import { makeSocketFolder } from "../../../lib/run/run_dir.ts";
import { displayStranger } from "../../support/display_stranger.ts";
import { aStream, tempDir } from "../../support/fixture.ts";
import { logged } from "../../support/logged.ts";

/** Numbers that the service's own tests do not use. */
const DISPLAYS = 41_000 + Deno.pid % 1000 * 10;

const NOTHING = {
  walls: null,
  local: [],
  ownNames: [],
  ownAddresses: [],
  neighbours: [],
  isLan: false,
  way: null,
  proxies: [],
};

/** What any user can put where a display's lock is looked for. */
const BAD_LOCKS: [name: string, make: (path: string) => Promise<unknown>][] = [
  ["a pipe", (path) => run(["mkfifo", path], { timeoutMs: 1000 })],
  ["a link to a pid", (path) => Deno.symlink("/proc/self/stat", path)],
  ["a link to what never ends", (path) => Deno.symlink("/dev/zero", path)],
  ["huge", async (path) => {
    await Deno.writeTextFile(path, "");
    await Deno.truncate(path, 2 ** 40);
  }],
  ["no number", (path) => Deno.writeTextFile(path, "../../etc/x")],
  ["minus a number", (path) => Deno.writeTextFile(path, "        -1\n")],
];

function someDisplays(): Displays {
  return new Displays(DISPLAYS, isDisplayFree);
}

Deno.test("no two streams share a display; one that is free again is given anew", async () => {
  const displays = someDisplays();
  const taken = await Promise.all([1, 2, 3].map(() => displays.take()));
  assert.equal(new Set(taken).size, 3);
  displays.free(taken[1]);
  assert.equal(await displays.take(), taken[1]);
});

Deno.test("a display that was adopted over a restart is not given away", async () => {
  const displays = someDisplays();
  displays.adopt(DISPLAYS + 1);
  assert.notEqual(await displays.take(), DISPLAYS + 1);
});

Deno.test("a display with a living owner is passed over; a dead one's lock is not", async () => {
  const first = await someDisplays().take();
  const lock = `/tmp/.X${first}-lock`;
  try {
    await Deno.writeTextFile(lock, `${Deno.pid}\n`.padStart(11), { createNew: true });
    assert.ok(await someDisplays().take() > first);
    await Deno.writeTextFile(lock, " 999999999\n");
    assert.equal(await someDisplays().take(), first);
  } finally {
    await Deno.remove(lock);
  }
});

function rootTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: `${name} [needs root]`, ignore: Deno.uid() !== 0, fn });
}

rootTest("a display of which another user has a socket is taken, and nobody connects to it", async () => {
  for (const kinds of [["file"], ["abstract"], ["file", "abstract"]] as const) {
    const display = await someDisplays().take();
    await using other = displayStranger(display, ...kinds);
    await other.hasAll;
    const what = kinds.join();
    // of the two, the X server of a stream could still have made the other one
    using own = kinds[0] === "abstract"
      ? Deno.listen({ transport: "unix", path: displaySocket(display) })
      : null;
    assert.equal(await isDisplayUp(display, 0), false, what);
    assert.ok(await someDisplays().take() > display, what);
    if (own) await Deno.remove(displaySocket(display));
    else await assert.rejects(ownedSocket(display, 0), /is another user's/, what);
    if (kinds.some((kind) => kind === "abstract")) {
      assert.equal(abstractListener(displaySocket(display)), 65_534, what);
    }
  }
});

rootTest(
  "an abstract name that takes no connection is taken all the same, and is not its display's own",
  async () => {
    for (const kind of ["bound", "full"] as const) {
      const display = await someDisplays().take();
      await using other = displayStranger(display, kind);
      await other.hasAll;
      assert.ok(await someDisplays().take() > display, kind);
      assert.equal(await isAnothersDisplay(display, 0), true, kind);
    }
  },
);

rootTest("the sockets of a user's own X server are known as that", async () => {
  const display = await someDisplays().take();
  {
    await using server = displayStranger(display, "file", "abstract");
    await server.hasAll;
    assert.ok(await isDisplayUp(display, 65_534));
    assert.equal(await ownedSocket(display, 65_534), displaySocket(display));
  }
  assert.equal(abstractListener(displaySocket(display)), null);
  await assert.rejects(ownedSocket(display, 65_534), /is not up/);
});

rootTest(
  "whatever another user has of a display is known to its own, and not what it has itself",
  async () => {
    const display = await someDisplays().take();
    for (const kind of ["file", "abstract"] as const) {
      await using other = displayStranger(display, kind);
      await other.hasAll;
      assert.equal(await isAnothersDisplay(display, 0), true, kind);
      assert.equal(await isAnothersDisplay(display, 65_534), false, kind);
    }
    assert.equal(await isAnothersDisplay(display, 0), false);
    for (const path of [displayLock(display), displayKeymap(display)]) {
      await Deno.writeTextFile(path, "");
      await Deno.chown(path, 65_534, 65_534);
      assert.equal(await isAnothersDisplay(display, 0), true, path);
      assert.equal(await isAnothersDisplay(display, 65_534), false, path);
      await removeStaleDisplay(display);
      assert.equal(await isAnothersDisplay(display, 0), false, path);
    }
  },
);

Deno.test("a display with a folder where its X server makes a file is taken", async () => {
  const display = await someDisplays().take();
  for (const path of [displayLock(display), displaySocket(display), displayKeymap(display)]) {
    await Deno.mkdir(path);
    try {
      assert.ok(await someDisplays().take() > display, path);
      await removeStaleDisplay(display);
      assert.ok((await Deno.lstat(path)).isDirectory, "and it is left where it is");
    } finally {
      await Deno.remove(path);
    }
  }
});

rootTest(
  "another user's folder there takes no number from root: it is set aside before the start",
  async () => {
    const display = await someDisplays().take();
    for (const path of [displayLock(display), displaySocket(display), displayKeymap(display)]) {
      await Deno.mkdir(join(path, "x"), { recursive: true });
      await Deno.chown(path, 65_534, 65_534);
      assert.equal(await isDisplayFree(display, 65_534), false, "a normal user cannot set it aside");
      assert.equal(await isDisplayFree(display, 0), true, path);
      const said = await logged(() => removeStaleDisplay(display), "warn");
      const [aside] = /\/tmp\/(\.X11-unix\/)?\.left-[\w-]+/.exec(said.join())!;
      await Deno.remove(aside, { recursive: true });
      await assert.rejects(Deno.lstat(path), Deno.errors.NotFound);
    }
  },
);

rootTest("the folder of displays' sockets is root's, and nobody may remove another's from it", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "sockets");
  await makeSocketFolder(path);
  const { uid, mode } = await Deno.stat(path);
  assert.deepEqual([uid, mode! & 0o7777], [0, 0o1777]);
  await makeSocketFolder(path);
  await Deno.chmod(path, 0o777);
  await assert.rejects(makeSocketFolder(path), /could take the place of every display/);
  await Deno.remove(path);
  await Deno.symlink("/tmp", path);
  await assert.rejects(makeSocketFolder(path), /is not a folder/);
});

rootTest("a lock counts if the process that it names is its owner's", async () => {
  const display = await someDisplays().take();
  const lock = `/tmp/.X${display}-lock`;
  const isFree = async () => await someDisplays().take() === display;
  await using other = displayStranger(display + 5);
  try {
    for (const [pid, owner, free] of [[1, 65_534, true], [other.pid, 65_534, false], [other.pid, 0, true]]) {
      await Deno.writeTextFile(lock, `${pid}\n`.padStart(11));
      await Deno.chown(lock, owner as number, owner as number);
      assert.equal(await isFree(), free, `${pid} of ${owner}`);
    }
  } finally {
    await Deno.remove(lock);
  }
});

for (const [name, make] of BAD_LOCKS) {
  Deno.test(`a lock that is ${name} keeps nobody waiting, and is nobody's`, async () => {
    const display = await someDisplays().take();
    const lock = `/tmp/.X${display}-lock`;
    await make(lock);
    try {
      assert.equal(await lockOwner(lock), null);
      assert.equal(await someDisplays().take(), display);
    } finally {
      await Deno.remove(lock);
    }
  });
}

Deno.test("when all are taken, that is an error", async () => {
  const displays = someDisplays();
  for (let at = 1; at <= 500; at++) {
    displays.adopt(DISPLAYS + at);
  }
  await assert.rejects(
    displays.take(),
    /all displays from :\d+ to :\d+ are taken: set DISPLAY_BASE/,
  );
});

Deno.test("two channels share no display, key to it, sound server, profile, preset or VNC socket", async () => {
  const displays = someDisplays();
  const used = new Map<string, string>();
  for (const id of ["a", "a-2", "b"].map(streamId)) {
    const channel = { stream: aStream({ id }), display: await displays.take(), startedAt: 0 };
    const browser = browserCommand(channel, join("/profiles", id), true, NOTHING);
    const slot = slotPaths({ slotsDir: "/slots" }, channel.display);
    const display = displayCommand(channel, vncSocket({ vncDir: "/vnc" }, id), slot.xauthority);
    const preset = join(slot.homeDir, `${id}.ffpreset`);
    const starting = (prefix: string) => browser.find((word) => word.startsWith(prefix))!;
    const own = [
      display[1],
      display[display.indexOf("-rfbunixpath") + 1],
      starting("--user-data-dir="),
      slot.xauthority,
      audioCommand(slot.pulseDir).at(-1)!,
      preset,
      picturesFolder({ picturesDir: "/pictures" }, channel.display),
    ];
    for (const thing of own) {
      assert.ok(!used.has(thing), `${thing} of ${used.get(thing)} is ${id}'s as well`);
      used.set(thing, id);
    }
    const encoder = encoderCommand(channel, {
      hasSink: true,
      rtmpPort: 1935,
      preset,
      now: 0,
      pictures: null,
    });
    assert.ok(encoder.includes(`${display[1]}.0`));
  }
});
