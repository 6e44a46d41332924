/**
 * Forty displays whose past is on a disk that fills, and has room again: a program, since the disk is mounted for it alone.
 * Argument: the disk's folder. Prints what is wrong then.
 */
import { join } from "node:path";
import { setLogLevel } from "../../lib/machine/tools/log.ts";
import { streamId } from "../../lib/model/id.ts";
import { Shelf } from "../../lib/rewind/recorder/shelf.ts";
import { allPlayed, BEGIN, Filmed, MUCH } from "./filmed.ts";
import { fillDisk } from "./mounts.ts";

setLogLevel("error");

const [folder] = Deno.args;
const past = join(folder, "past");
const filler = join(folder, "filler");
await Deno.mkdir(past);
// what looks at the disk finds room: that writes fail is all that is known
const leastFree = { leastFreeMb: 0, leastFreePercent: 0 };
const limits = { bytes: 1e9, taken: () => Promise.resolve(0), seconds: 86_400, leastFree };
const shelf = await Shelf.open(past, limits, () => Promise.resolve(MUCH));
const displays = Array.from({ length: 40 }, (_, at) => new Filmed(shelf, streamId(`wall-${at}`)));
for (const display of displays) {
  await display.order(null);
  display.reader();
}
let second = 0;

/** Each display shows another number each second, or what takes much room. */
async function pass(seconds: number, isLarge = false): Promise<void> {
  for (const end = second + seconds; second < end; second++) {
    await Promise.all(displays.map(async (display) => {
      if (isLarge) display.noise();
      else display.show(second + 1);
      await display.pass(1);
    }));
    await shelf.tidy(BEGIN + second);
  }
}

await pass(10);
await fillDisk(filler);
await pass(30, true);
await Deno.remove(filler);
await pass(30);
for (const display of displays) await display[Symbol.asyncDispose]();

const isFull = (at: number) => at >= 10 && at < 40;
const wrong: string[] = [];
for (const { id } of displays) {
  const all = await allPlayed(past, id);
  const kept = new Set(all.map(([at]) => at));
  for (const [at, number] of all) {
    if (number !== at + 1 && !isFull(at)) wrong.push(`${id}: ${number} at ${at}`);
  }
  const missing = (from: number, to: number) => {
    for (let at = from; at < to; at++) if (!kept.has(at)) wrong.push(`${id}: nothing at ${at}`);
  };
  missing(0, 9); // before
  if (kept.has(25)) wrong.push(`${id}: the disk was not full`);
  missing(52, 69); // ten seconds after there is room, and later
}
console.log(wrong.length === 0 ? `all right, ${folder}` : wrong.slice(0, 20).join("\n"));
