/**
 * Keeps pictures with x264 in its own process, as the capture program would, and prints what that takes: a program, so that
 * nothing else is in its memory. Arguments: the file of raw pictures, a file with their numbers and seconds as JSON, the
 * output.
 */
import process from "node:process";
import { writeAll } from "../../lib/machine/tools/write_all.ts";
import { type Coded, X264 } from "./x264.ts";
import { readPicture } from "./frames.ts";
import { KEY_SECONDS, PICTURE_BYTES, type Shown, SIZE } from "./past.ts";

/** Encoders that are open at once for the measurement of their memory. */
const ENCODERS = 8;
/** Pictures until an encoder has all its memory. */
const WARM = 4;

const [path, list, output] = Deno.args;
const shown: Shown[] = JSON.parse(await Deno.readTextFile(list));
using file = await Deno.open(path);
using coded = await Deno.open(output, { write: true, create: true, truncate: true });
const picture = new Uint8Array(PICTURE_BYTES);

const seconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const residentMib = () => Deno.memoryUsage().rss / 2 ** 20;

/** The processor's seconds for a picture, without its reading. */
function encode(encoder: X264, number: number, wantsKey: boolean): { coded: Coded; cpu: number } {
  readPicture(file, number, picture);
  const before = seconds();
  const one = encoder.encode(picture, wantsKey);
  return { coded: one, cpu: seconds() - before };
}

let mib = residentMib();
const many = Array.from({ length: ENCODERS }, () => new X264(SIZE));
for (const encoder of many) {
  for (const { number } of shown.slice(0, WARM)) encode(encoder, number, false);
}
mib = (residentMib() - mib) / ENCODERS;
for (const encoder of many) encoder[Symbol.dispose]();

let cpu = seconds();
using encoder = new X264(SIZE);
cpu = seconds() - cpu;
let keyAt = -Infinity;
for (const { number, second } of shown) {
  const one = encode(encoder, number, second - keyAt >= KEY_SECONDS);
  if (one.coded.isKey) keyAt = second;
  cpu += one.cpu;
  await writeAll(coded, one.coded.bytes);
}
console.log(JSON.stringify({ cpu, mib }));
