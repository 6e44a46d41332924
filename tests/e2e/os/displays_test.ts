import assert from "node:assert/strict";
import { join } from "node:path";
import { browserCommand } from "../../../lib/pipeline/browser.ts";
import { picturesFolder, slotPaths, vncSocket } from "../../../lib/paths.ts";
import { audioCommand } from "../../../lib/pipeline/audio.ts";
import { displayCommand, lockOwner } from "../../../lib/pipeline/display.ts";
import { encoderCommand } from "../../../lib/pipeline/encoder.ts";
import { isSlotFree, type Slot, Slots } from "../../../lib/control/slots.ts";
import { run } from "../../../lib/system/process.ts";
import { streamId } from "../../../lib/streams/id.ts";
import { aStream } from "../../support/fixture.ts";

/** Numbers that the service's own tests do not use. */
const DISPLAYS = 41_000 + Deno.pid % 1000 * 10;

const NOTHING = { walls: null, local: [], ownNames: [], ownAddresses: [], isLan: false };

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

function someSlots(): Slots {
  return new Slots({ display: DISPLAYS }, isSlotFree);
}

Deno.test("no two streams share a display; a stream keeps its own", async () => {
  const slots = someSlots();
  const taken = await Promise.all(["a", "b", "c"].map((id) => slots.take(streamId(id))));
  assert.equal(new Set(taken.map(({ display }) => display)).size, 3);
  assert.deepEqual(await slots.take(streamId("b")), taken[1]);
  slots.free(streamId("b"));
  assert.deepEqual(await slots.take(streamId("d")), taken[1]);
});

Deno.test("a slot that was adopted over a restart is not given away", async () => {
  const slots = someSlots();
  const adopted: Slot = { display: DISPLAYS + 1 };
  slots.adopt(streamId("old"), adopted);
  assert.notDeepEqual(await slots.take(streamId("new")), adopted);
  assert.deepEqual(await slots.take(streamId("old")), adopted);
});

Deno.test("a display with a living owner is passed over; a dead one's lock is not", async () => {
  const first = await someSlots().take(streamId("a"));
  const lock = `/tmp/.X${first.display}-lock`;
  try {
    await Deno.writeTextFile(lock, `${Deno.pid}\n`.padStart(11), { createNew: true });
    assert.ok((await someSlots().take(streamId("a"))).display > first.display);
    await Deno.writeTextFile(lock, " 999999999\n");
    assert.deepEqual(await someSlots().take(streamId("a")), first);
  } finally {
    await Deno.remove(lock);
  }
});

for (const [name, make] of BAD_LOCKS) {
  Deno.test(`a lock that is ${name} keeps nobody waiting, and is nobody's`, async () => {
    const { display } = await someSlots().take(streamId("a"));
    const lock = `/tmp/.X${display}-lock`;
    await make(lock);
    try {
      const from = performance.now();
      assert.equal(await lockOwner(lock), null);
      assert.equal((await someSlots().take(streamId("a"))).display, display);
      assert.ok(performance.now() - from < 2000);
    } finally {
      await Deno.remove(lock);
    }
  });
}

Deno.test("when all are taken, that is an error", async () => {
  const slots = someSlots();
  for (let at = 1; at <= 500; at++) {
    slots.adopt(streamId(`s${at}`), { display: DISPLAYS + at });
  }
  await assert.rejects(slots.take(streamId("one-more")), /no free display/);
});

Deno.test("two channels share no display, key to it, sound server, profile, preset or VNC socket", async () => {
  const slots = someSlots();
  const used = new Map<string, string>();
  for (const id of ["a", "a-2", "b"].map(streamId)) {
    const channel = { stream: aStream({ id }), ...await slots.take(id), startedAt: 0 };
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
      ...{ hasSink: true, rtmpPort: 1935, preset, now: 0 },
      pictures: null,
    });
    assert.ok(encoder.includes(`${display[1]}.0`));
  }
});
