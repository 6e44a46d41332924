import { strict as assert } from "node:assert";
import fc from "fast-check";
import { audioPart, videoPart } from "../../../../lib/channel/relay/flv.ts";
import type { RtmpMessage } from "../../../../lib/channel/media/rtmp_chunks.ts";
import { TransportWriter } from "../../../../lib/channel/relay/transport_writer.ts";
import { aSecond, audioSettings, picture, sound, videoSettings } from "../../../support/rtmp_channel.ts";
import { checkTransport } from "../../../support/transport_checker.ts";

function aWriter(): TransportWriter {
  const writer = new TransportWriter();
  for (const message of [videoSettings(), audioSettings()]) write(writer, message);
  return writer;
}

function write(writer: TransportWriter, { type, time, payload }: RtmpMessage): void {
  const part = type === 9 ? videoPart(payload) : audioPart(payload);
  if (part?.kind === "picture") writer.picture(part.units, part.isKey, time, part.delayMs);
  else if (part?.kind === "frame") writer.sound(part.frame, time);
  else if (part && "frequencyIndex" in part.settings) writer.setAudio(part.settings);
  else if (part && "lengthBytes" in part.settings) writer.setVideo(part.settings);
}

function written(messages: readonly RtmpMessage[]): Uint8Array {
  const writer = aWriter();
  for (const message of messages) write(writer, message);
  return writer.take();
}

const seconds = (count: number, from: number) =>
  Array.from({ length: count }, (_, at) => aSecond(from + at * 1000)).flat();

Deno.test("transport stream: a still page's clock and tables come in time, from sound alone", () => {
  const checked = checkTransport(written(seconds(10, 40_000_000)));
  assert.deepEqual(checked.problems, []);
  assert.deepEqual([checked.pictures, checked.keyFrames, checked.sounds], [20, 10, 470]);
  assert.ok(checked.seconds > 9.8 && checked.seconds < 10.1, String(checked.seconds));
  assert.equal(checked.pictureTimes[0], 40_000_000 * 90 % 2 ** 33 / 90_000);
});

Deno.test("transport stream: pictures and sound of any size are whole packets without a gap", () => {
  fc.assert(fc.property(
    fc.array(fc.tuple(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 900 }), fc.boolean()), {
      minLength: 1,
      maxLength: 30,
    }),
    (sizes) => {
      const messages = sizes.flatMap(([pixels, heard, isKey], at) => [
        picture(at * 40, isKey || at === 0, pixels),
        sound(at * 40 + 5, heard),
      ]);
      const checked = checkTransport(written(messages));
      assert.deepEqual(checked.problems, []);
      assert.deepEqual([checked.pictures, checked.sounds], [sizes.length, sizes.length]);
    },
  ));
});

Deno.test("transport stream: an encoder's restart and a clock that is set are told, and the counters go on", () => {
  for (const step of [4000, -3_600_000, 3_600_000]) {
    const checked = checkTransport(written([...seconds(2, 10_000_000), ...seconds(2, 10_002_000 + step)]));
    assert.deepEqual(checked.problems, [], String(step));
    assert.equal(checked.keyFrames, 4);
  }
});

Deno.test("transport stream: times wrap where 33 bits end", () => {
  const end = Math.floor(2 ** 33 / 90);
  const checked = checkTransport(written(seconds(3, end - 1500)));
  assert.deepEqual(checked.problems, []);
  assert.ok(Math.max(...checked.pictureTimes) < 2 ** 33 / 90_000);
  assert.ok(Math.min(...checked.pictureTimes) < 2);
});

Deno.test("transport stream: sound without settings is left out, and pictures go on alone", () => {
  const writer = new TransportWriter();
  write(writer, videoSettings());
  for (let at = 0; at < 50; at++) {
    write(writer, picture(at * 40, at === 0));
    write(writer, sound(at * 40));
  }
  const checked = checkTransport(writer.take());
  assert.deepEqual([checked.problems, checked.pictures, checked.sounds], [[], 50, 0]);
});

Deno.test("FLV: what is no H.264 or AAC, or is cut off, is an error; what is of no use is left out", () => {
  assert.throws(() => videoPart(Uint8Array.of(0x12, 1, 0, 0, 0)), /no H\.264/);
  assert.throws(() => audioPart(Uint8Array.of(0x2f, 1)), /no AAC/);
  assert.throws(() => videoPart(videoSettings().payload.subarray(0, 20)), /cut off|no settings/);
  assert.equal(videoPart(Uint8Array.of(0x17, 2, 0, 0, 0)), null);
  assert.equal(audioPart(Uint8Array.of(0xaf)), null);
  const cut = picture(0, true);
  const part = videoPart(cut.payload.subarray(0, 50));
  assert.throws(
    () => aWriter().picture(part?.kind === "picture" ? part.units : cut.payload, true, 0, 0),
    /cut off/,
  );
});
