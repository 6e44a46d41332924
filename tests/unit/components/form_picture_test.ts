import { strict as assert } from "node:assert";
import {
  numbersOf,
  OTHER,
  SIZE_NAMES,
  sizeOf,
  smoothnessOf,
} from "../../../components/form/picture/picture.ts";
import { formOptions } from "../../../components/form/formOptions.ts";
import { sectionLines } from "../../../components/form/sectionLines.ts";
import { storedSize } from "../../../lib/model/picture_size.ts";
import { streamFields } from "../../../lib/model/schema.ts";
import { PICTURE_SIZES } from "../../../lib/model/picture_size.ts";

const { qualityPresets: smoothnesses, defaults } = formOptions;
const from = (values: object) => (field: string) => (values as Record<string, unknown>)[field];

Deno.test("a size is understood as people write it", () => {
  const spellings = {
    "1920×1080": "1920x1080",
    " 1920 x 1080 ": "1920x1080",
    "1280X720": "1280x720",
    "720p": "1280x720",
    "1080P": "1920x1080",
    "4k": "3840x2160",
    "2160p": "3840x2160",
    "portrait": "1080x1920",
    "large": "large",
  };
  for (const [typed, stored] of Object.entries(spellings)) assert.equal(storedSize(typed), stored, typed);
  const { scale } = streamFields.parse({ name: "A", url: "https://a.example", scale: "1920 × 1080" });
  assert.equal(scale, "1920x1080");
  const bad = streamFields.safeParse({ name: "A", url: "https://a.example", scale: "large" });
  assert.match(bad.error!.message, /such as 1080p or 4K/);
});

Deno.test("every size with every smoothness is found again from its numbers, and is valid", () => {
  for (const size of Object.keys(PICTURE_SIZES)) {
    for (const smoothness of Object.keys(smoothnesses)) {
      const values = {
        ...defaults,
        name: "A",
        url: "https://a.example",
        ...numbersOf(smoothnesses, smoothness, size),
      };
      assert.deepEqual([sizeOf(from(values)), smoothnessOf(smoothnesses, from(values))], [size, smoothness]);
      assert.ok(streamFields.safeParse(values).success, `${size} ${smoothness}`);
    }
  }
  assert.deepEqual([sizeOf(from(defaults)), smoothnessOf(smoothnesses, from(defaults))], [
    "720p",
    "Dashboard",
  ]);
});

Deno.test("own numbers stay: another size changes the pixels alone, and 'other' changes nothing", () => {
  assert.deepEqual(numbersOf(smoothnesses, OTHER, "1080p"), { resolution: "1920x1080", scale: "1920x1080" });
  assert.deepEqual(numbersOf(smoothnesses, OTHER, OTHER), {});
  const own = { ...defaults, resolution: "1920x1080", fps: 12 };
  assert.deepEqual([sizeOf(from(own)), smoothnessOf(smoothnesses, from(own))], [OTHER, OTHER]);
  assert.equal(SIZE_NAMES.at(-1), OTHER);
});

Deno.test("a closed section says in a line what is set in it", () => {
  const lines = (change: object, stored?: object) =>
    sectionLines({ values: { ...defaults, ...change }, defaults, stored: stored as never });
  assert.deepEqual(lines({ pass: undefined }), {
    pages: "One page",
    plan: "Always",
    login: "None",
    looks: "As the page is",
    encoder: "10 fps, 1500k, superfast",
    running: "With sound",
    network: "As usual",
    channel: "The next free number",
    push: "Off",
  });
  const set = lines({
    morePages: "https://b.example\nhttps://c.example 20",
    plan: "Mon-Fri 08:00-18:00\nSat 09:30-12:00",
    user: "max",
    zoom: "150",
    colorScheme: "dark",
    audio: false,
    onDemand: true,
    autoReload: true,
    autoReloadInterval: "30",
    delay: "15",
    proxy: "direct",
    channelNumber: "7",
    pushTo: "rtmp://tv.example.org/live",
  });
  assert.deepEqual(set, {
    pages: "3 pages in turn",
    plan: "Mon-Fri 8-18, Sat 9:30-12",
    login: "max",
    looks: "Zoom, Colours",
    encoder: "10 fps, 1500k, superfast",
    running: "Silent, only while somebody watches, reloaded every 30 min, on air after 15 s",
    network: "Proxy",
    channel: "Number 7",
    push: "rtmp://tv.example.org/live",
  });
  assert.equal(lines({ plan: "- ?-?" }).plan, "Not complete");
  const past = (rewind: boolean, rewindFor: string) => lines({ rewind, rewindFor }).running;
  assert.equal(past(true, "viewers"), "With sound, its past for viewers, too");
  assert.equal(past(false, "viewers"), "With sound, its past is not kept");
  const { pass: _, extraHeaders: __, ...withoutSecrets } = defaults;
  const secret = { passSet: true, extraHeadersSet: true };
  const kept = sectionLines({ values: withoutSecrets, defaults, stored: secret as never });
  assert.deepEqual([kept.login, kept.looks], ["Password only", "Extra headers"]);
});
