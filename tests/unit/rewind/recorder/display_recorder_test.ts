/** What the recorder keeps of a display, by ffmpeg: each picture tells its number, and time is the test's. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { parsePiece } from "../../../../lib/rewind/recorder/piece.ts";
import { allPlayed, BEGIN, Filmed, ID, MUCH, piecesIn, played, SIZE, told } from "../../../support/filmed.ts";
import { tempDir } from "../../../support/fixture.ts";
import { secondOf } from "../../../support/past.ts";

Deno.test("recorder: the last picture of each second that differs is kept, at its second", async () => {
  await using dir = await tempDir();
  await using film = await Filmed.begin(dir.path);
  film.show(1);
  film.reader();
  await film.pass(2);
  film.show(2);
  await film.pass(0.5);
  film.show(3); // in the same second
  await film.pass(0.5);
  film.show(3); // X reports a change where nothing differs
  await film.pass(2);
  film.show(4);
  await film.pass(1);
  film.show(5);
  await film.pass(3);
  assert.deepEqual(await allPlayed(dir.path), [[0, 1], [2, 3], [5, 4], [6, 5]]);
  const [{ from, to, reason, changes }] = await told(dir.path);
  assert.deepEqual([from, to, reason], [0, 9, null]);
  assert.deepEqual(changes.map(([at]) => at), [0, 2, 5, 6]);
  assert.equal(film.counts.changedAt, (BEGIN + 6) * 1000);
});

Deno.test("recorder: what a still page shows is known to within two seconds, and has a key frame in ten minutes", async () => {
  await using dir = await tempDir();
  await using film = await Filmed.begin(dir.path);
  film.show(7);
  film.reader();
  await film.pass(1300);
  assert.deepEqual(await allPlayed(dir.path), [[0, 7], [600, 7], [1200, 7]]);
  const all = await told(dir.path);
  assert.deepEqual(all.map(({ from, to }) => [from, to]), [[0, 600], [600, 1200], [1200, all[2].to]]);
  assert.ok(all[2].to >= 1298 && all[2].to <= 1300, `${all[2].to}`);
  assert.deepEqual(all.flatMap(({ changes }) => changes.map(([, share]) => share)), [0, 0, 0]);
});

Deno.test("recorder: a page that changes each second has another piece after 240 pictures, without a gap", async () => {
  await using dir = await tempDir();
  await using film = await Filmed.begin(dir.path);
  film.reader();
  for (let second = 0; second < 500; second++) {
    film.show(second + 1);
    await film.pass(1);
  }
  await film.gone();
  const expected = Array.from({ length: 500 }, (_, second) => [second, second + 1]);
  assert.deepEqual(await allPlayed(dir.path), expected);
  const all = await told(dir.path);
  assert.deepEqual(all.map(({ from, to }) => [from, to]), [[0, 240], [240, 480], [480, 500]]);
  assert.deepEqual(all.map(({ reason }) => reason), [null, null, "stopped"]);
});

Deno.test("recorder: of a visit nothing is kept, not even of its first and last second", async () => {
  await using dir = await tempDir();
  await using film = await Filmed.begin(dir.path);
  film.reader();
  film.show(1);
  await film.pass(5.5);
  await film.order("visit");
  film.show(99); // a password
  await film.pass(1);
  film.show(98);
  await film.pass(3);
  film.show(97);
  await film.order(null);
  await film.pass(0.5);
  film.show(2);
  await film.pass(5);
  const numbers = (await allPlayed(dir.path)).map(([, number]) => number);
  assert.deepEqual(numbers, [1, 2]);
  const [before, after] = await told(dir.path);
  assert.equal(before.reason, "visit");
  assert.ok(before.to <= 6 && before.to >= 3, `${before.to}`);
  assert.ok(after.from >= 10, `${after.from}`);
  assert.equal(film.counts.changedAt, (BEGIN + 10) * 1000, "changes are seen all the same");
});

Deno.test("recorder: what an encoder that hung has seen last of a visit is not kept when it goes on", async () => {
  await using dir = await tempDir();
  await using film = await Filmed.begin(dir.path);
  film.reader();
  film.show(1);
  await film.pass(3);
  await film.order("visit");
  film.show(99); // a password
  film.now += 9;
  await film.order(null);
  await film.pass(1.5); // it has not been asked what is there now
  film.show(2);
  await film.pass(4);
  assert.deepEqual((await allPlayed(dir.path)).map(([, number]) => number), [1, 2]);
});

Deno.test("recorder: a display that shows a cover, or is not wanted, is looked at and not kept", async () => {
  for (const hold of ["cover", "off", "disk"] as const) {
    await using dir = await tempDir();
    await using film = await Filmed.begin(dir.path, { hold });
    film.reader();
    film.show(1);
    await film.pass(3);
    film.show(2);
    await film.pass(3);
    assert.equal(film.counts.changedAt, (BEGIN + 3) * 1000);
    assert.deepEqual(await piecesIn(dir.path), [], hold);
  }
});

Deno.test("recorder: an encoder that is restarted, another size and a clock that was set begin another piece", async () => {
  await using dir = await tempDir();
  await using film = await Filmed.begin(dir.path);
  film.show(1);
  film.reader();
  await film.pass(4);
  await film.gone();
  await film.pass(3);
  film.reader();
  await film.pass(4);
  assert.equal(film.counts.changedAt, BEGIN * 1000, "it is the same picture");
  await film.gone();
  const large = { width: 640, height: 360 };
  film.reader(large);
  film.show(2);
  await film.pass(4);
  await film.gone();
  film.now -= 3600; // the clock is an hour back
  film.show(3);
  film.reader(large);
  await film.pass(5);
  await film.gone();
  film.now += 7200;
  film.show(4);
  film.reader(large);
  await film.pass(5);
  await film.gone();
  const pieces = await piecesIn(dir.path);
  assert.deepEqual(pieces.map(({ piece }) => piece.size), [SIZE, SIZE, large, large, large]);
  const numbers = [];
  for (const { piece, path } of pieces) numbers.push(...await played(path, piece.size));
  assert.deepEqual(numbers, [[0, 1], [7, 1], [11, 2], [-3584, 3], [3620, 4]]);
});

Deno.test("recorder: a disk that fills stops it before that, and it goes on by itself", async () => {
  await using dir = await tempDir();
  await using film = await Filmed.begin(dir.path);
  film.reader();
  film.show(1);
  await film.pass(3);
  film.space = { ...MUCH, totalBytes: 10e9, freeBytes: 0.6e9 };
  await film.shelf.tidy(BEGIN + film.now);
  film.show(2);
  await film.pass(3);
  film.space.freeBytes = 0.7e9; // not yet
  await film.shelf.tidy(BEGIN + film.now);
  film.show(3);
  await film.pass(3);
  film.space.freeBytes = 0.8e9;
  await film.shelf.tidy(BEGIN + film.now);
  await film.pass(1);
  film.show(4);
  await film.pass(3);
  assert.deepEqual((await allPlayed(dir.path)).map(([, number]) => number), [1, 3, 4]);
  const [before, after] = await told(dir.path);
  assert.deepEqual([before.reason, after.reason], ["disk", null]);
  assert.ok(after.from >= 8 && after.from <= 10, `${after.from}`);
});

Deno.test("recorder: a page that moves all the time gets fewer pictures, and 700 MB a day at most", async () => {
  await using dir = await tempDir();
  await using film = await Filmed.begin(dir.path);
  film.reader();
  const seconds = 400;
  for (let second = 1; second <= seconds; second++) {
    film.noise();
    await film.pass(1);
  }
  film.show(77);
  await film.pass(600);
  const all = await told(dir.path);
  const changes = all.flatMap(({ changes }) => changes);
  const noted = new Set(changes.map(([at]) => at));
  for (let at = 0; at <= seconds; at++) {
    assert.ok(noted.has(at), `each second's change is noted, also at ${at}`);
  }
  const bytes = (await Promise.all((await piecesIn(dir.path)).map(({ path }) => Deno.stat(path))))
    .reduce((sum, { size }) => sum + size, 0);
  const most = 700e6 / 86_400 * (seconds + 600 + 600);
  assert.ok(bytes < most && bytes > most / 2, `${bytes} of ${most}`);
  const kept = changes.filter(([, , isKept]) => isKept).length;
  assert.ok(kept < seconds && kept > 50, `${kept}`);
  const last = (await allPlayed(dir.path)).filter(([, number]) => number === 77);
  assert.equal(last[0][0], seconds, "the picture that stays comes at its second, however late it is kept");
});

Deno.test("recorder: whatever ends it, what was written before can be played", async () => {
  await using dir = await tempDir();
  await using film = await Filmed.begin(dir.path);
  film.reader();
  for (let second = 1; second <= 30; second++) {
    film.show(second);
    await film.pass(1);
  }
  const copy = join(dir.path, "copy");
  const [{ piece, path }] = await piecesIn(dir.path);
  const [video, text] = await Promise.all([
    Deno.readFile(path),
    Deno.readTextFile(path.replace(".mkv", ".txt")),
  ]);
  for (let cut = 0; cut < 20; cut++) {
    const [bytes, letters] = [cut * video.length / 20, cut * 7919 % text.length].map(Math.floor);
    await Deno.mkdir(join(copy, ID), { recursive: true });
    const name = join(copy, ID, path.slice(path.lastIndexOf("/") + 1));
    await Deno.writeFile(name, video.subarray(0, bytes));
    await Deno.writeTextFile(name.replace(".mkv", ".txt"), text.slice(0, letters));
    const cutOff = parsePiece(piece, text.slice(0, letters), bytes);
    const there = (cutOff?.pictures ?? []).map(({ at }) => [at - BEGIN, at - BEGIN + 1]);
    // ffmpeg shows what is there in whole, and says that the end is missing
    const args = [
      "-v",
      "quiet",
      "-i",
      name,
      "-f",
      "rawvideo",
      "-pix_fmt",
      "gray",
      "-fps_mode",
      "passthrough",
      "-",
    ];
    const { stdout } = await new Deno.Command("ffmpeg", { args }).output();
    const size = SIZE.width * SIZE.height;
    const shown = there.map((
      [at],
      n,
    ) => [at, secondOf(stdout.subarray(n * size, (n + 1) * size), SIZE.width, SIZE)]);
    assert.deepEqual(shown, there, `${bytes} bytes, ${letters} letters`);
  }
});
