import { strict as assert } from "node:assert";
import { playlistFile, seedSequence } from "../../../lib/media/hls.ts";
import { PlaylistAges } from "../../../lib/media/playlist_ages.ts";
import { streamId } from "../../../lib/model/id.ts";
import { tempDir } from "../../support/fixture.ts";

const ID = streamId("a");
const HOUR = 3_600_000;

/** Playlists in a folder, with both clocks set by hand. */
async function withPlaylist(
  test: (world: {
    ages: PlaylistAges;
    clock: { now: number; elapsed: number };
    pass(ms: number): void;
    /** As the media server does, with the time of the machine's clock. */
    write(): Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  await using dir = await tempDir("/dev/shm");
  const clock = { now: 1_000_000_000, elapsed: 50_000 };
  const file = playlistFile(dir.path, ID);
  const ages = new PlaylistAges(dir.path, () => clock.now, () => clock.elapsed);
  seedSequence(dir.path, ID, clock.now);
  assert.equal(ages.of(ID), null, "a seed is no picture");
  await test({
    ages,
    clock,
    pass: (ms) => {
      clock.now += ms;
      clock.elapsed += ms;
    },
    write: async () => {
      await Deno.writeTextFile(file, "#EXTINF:1.000,\n1795241652273.ts\n".repeat(6), { append: true });
      await Deno.utime(file, clock.now / 1000, clock.now / 1000);
    },
  });
}

Deno.test("a playlist's age is the time since it was written", () =>
  withPlaylist(async ({ ages, pass, write }) => {
    await write();
    pass(7500);
    assert.equal(ages.of(ID), 7500, "also of one that was never looked at before");
    pass(1000);
    assert.equal(ages.of(ID), 8500);
    await write();
    pass(250);
    assert.equal(ages.of(ID), 250);
    await write();
    pass(60_000);
    assert.equal(ages.of(ID), 60_000, "also when the last look was long ago");
  }));

for (const [jump, by] of [["back", -HOUR], ["forward", HOUR]] as const) {
  Deno.test(`a playlist grows old, and young again, when the clock is set ${jump} by an hour`, () =>
    withPlaylist(async ({ ages, clock, pass, write }) => {
      await write();
      pass(1000);
      assert.equal(ages.of(ID), 1000);
      clock.now += by;
      pass(1000);
      assert.equal(ages.of(ID), 2000, "nobody wrote it meanwhile");
      await write();
      pass(500);
      const age = ages.of(ID)!;
      assert.ok(age >= 0 && age <= 500, `${age}`);
      pass(9000);
      assert.equal(ages.of(ID), age + 9000);
    }));
}
