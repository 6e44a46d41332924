/** Bodies as large and as odd as a client can send. */

export const many = <T>(length: number, item: (at: number) => T) =>
  Array.from({ length }, (_, at) => item(at));
export const url = "https://clock.example.org/";
/** As large as a stream that is stored may be, in many small values. */
const FIELDS = Object.fromEntries(many(35, (at) => [`field${at}`, at]));

/** Each with the status of its preview. */
export const IMPORTS: [what: string, status: number, text: () => string][] = [
  ["720,000 keys", 413, () => `{${many(720_000, (at) => `"k${at}":1`).join()}}`],
  ["720,000 keys in a stream", 413, () => `[{${many(720_000, (at) => `"k${at}":1`).join()}}]`],
  ["four million numbers", 413, () => `[${"1,".repeat(4_000_000)}1]`],
  ["a million objects", 413, () => `[${"{},".repeat(2_000_000)}{}]`],
  ["eight million levels", 413, () => "[".repeat(8_000_000)],
  ["levels of objects", 413, () => '{"a":'.repeat(1_000_000)],
  ["10,000 streams", 400, () => JSON.stringify(many(10_000, (at) => ({ name: `S${at}`, url })))],
  ["one text of 8 MB", 413, () => JSON.stringify("x".repeat(8_000_000))],
  ["a name of 8 MB", 413, () => JSON.stringify([{ name: "x".repeat(8_000_000), url }])],
  ["8 MB of escapes", 413, () => `["${"\\u0041".repeat(1_300_000)}"]`],
  [
    "30 texts of 250 KB in one stream",
    400,
    () => JSON.stringify([Object.fromEntries(many(30, (at) => [`field${at}`, "x".repeat(250_000)]))]),
  ],
  [
    "30 names of 250 KB",
    400,
    () =>
      JSON.stringify(many(15, () => ({ name: "\u2028 ".repeat(60_000), group: "x".repeat(250_000), url }))),
  ],
  ["8 MB that is no JSON", 400, () => "x".repeat(8_000_000)],
  ["a thousand streams of nothing", 400, () => JSON.stringify(many(1000, () => ({})))],
  [
    "a thousand streams with every field wrong",
    400,
    () =>
      JSON.stringify(many(1000, () => ({ name: 1, url: 1, fps: "x", delay: "x", scale: "x", bitrate: "x" }))),
  ],
  [
    "a thousand streams of 37 fields",
    200,
    () => JSON.stringify(many(1000, (at) => ({ name: `S${at}`, url, ...FIELDS }))),
  ],
  [
    "a thousand streams of 7 KB",
    200,
    () => JSON.stringify(many(1000, (at) => ({ name: `S${at}`, url, note: "x".repeat(7000) }))),
  ],
];

/** Of 200 KB each: whatever a rule of the fields tries again and again takes seconds then. */
export const HUGE_TEXTS: Record<string, string[]> = {
  name: [
    " ".repeat(200_000),
    "\u2028".repeat(60_000) + "x".repeat(200),
    "\u00a0 ".repeat(60_000),
    "a-".repeat(100_000),
  ],
  group: ["\x01 ".repeat(30_000) + "x".repeat(200)],
  url: [`https://${"a.".repeat(100_000)}`, `https://${"[".repeat(100_000)}`, " ".repeat(200_000) + "x"],
  delay: ["1" + " ".repeat(200_000) + "x", "1".repeat(200_000), "1." + "0".repeat(200_000)],
  resolution: ["1".repeat(200_000), "1x".repeat(100_000), " ".repeat(200_000)],
  fps: ["-" + "1".repeat(200_000) + "x", "1." + "1".repeat(200_000) + "."],
  bitrate: ["m".repeat(200_000), "1" + "0".repeat(200_000) + "k"],
  autoReloadInterval: ["1".repeat(200_000) + ".", "0." + "9".repeat(200_000) + "e"],
  id: ["a-".repeat(100_000), "-".repeat(200_000)],
  desiredState: ["x".repeat(200_000)],
};
