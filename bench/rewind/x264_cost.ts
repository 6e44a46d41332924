/**
 * Keeps pictures with x264 in its own process, as the capture program would, and prints what that takes: a program, so that
 * nothing else is in its memory. Arguments: the file of raw pictures, a file with their numbers and seconds as JSON, the
 * output.
 */
import process from "node:process";
import { writeAll } from "../../lib/machine/tools/write_all.ts";
import { LENGTH_BYTES, type X264, X264Library } from "../../lib/rewind/recorder/x264.ts";
import { readPicture } from "./frames.ts";
import { KEY_PICTURES, KEY_SECONDS, PICTURE_BYTES, type Shown, SIZE } from "./past.ts";

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
async function encode(encoder: X264, number: number, wantsKey: boolean) {
  readPicture(file, number, picture);
  const before = seconds();
  const coded = await encoder.encode(picture, wantsKey);
  return { coded, cpu: seconds() - before };
}

/** Start codes in the place of the units' lengths, so that a file of them can be read. */
function withStartCodes(units: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const view = new DataView(units.buffer, units.byteOffset);
  for (let at = 0; at < units.length;) {
    const length = view.getUint32(at);
    view.setUint32(at, 1);
    at += LENGTH_BYTES + length;
  }
  return units;
}

let mib = residentMib();
using library = new X264Library();
const many = Array.from({ length: ENCODERS }, () => library.open(SIZE));
for (const encoder of many) {
  for (const { number } of shown.slice(0, WARM)) await encode(encoder, number, false);
}
mib = (residentMib() - mib) / ENCODERS;
for (const encoder of many) encoder[Symbol.dispose]();

let cpu = seconds();
using encoder = library.open(SIZE);
cpu = seconds() - cpu;
let [keyAt, pictures] = [-Infinity, 0];
for (const { number, second } of shown) {
  const wantsKey = second - keyAt >= KEY_SECONDS || pictures % KEY_PICTURES === 0;
  if (wantsKey) [keyAt, pictures] = [second, 0];
  pictures++;
  const one = await encode(encoder, number, wantsKey);
  cpu += one.cpu;
  await writeAll(coded, withStartCodes(one.coded));
}
console.log(JSON.stringify({ cpu, mib }));
