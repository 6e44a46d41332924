import { strict as assert } from "node:assert";
import { refusalOf, type Situation } from "../../../lib/fleet/admission_decision.ts";

const GIB = 1024 ** 3;
const ESTIMATE = { cpuPercent: 10, mebibytes: 300, measured: 0 };
const IDLE: Situation = {
  cores: 2,
  processors: 2,
  machineCores: 2,
  tasks: null,
  othersCores: 0,
  streamsCores: 0,
  runBytes: 1e9,
  young: 0,
  availableBytes: 4 * GIB,
  promisedBytes: 0,
  totalBytes: 8 * GIB,
  machineBytes: 8 * GIB,
  running: 3,
  maxStreams: 0,
};

const CASES: [what: string, situation: Partial<Situation>, refusal: RegExp | null][] = [
  ["an idle machine", {}, null],
  ["the last that fits", { streamsCores: 1.69 }, null],
  [
    "one too many",
    { streamsCores: 1.71 },
    /^1\.7 of 2 cores are in use, and this one would take about 10 % of a CPU core/,
  ],
  [
    "other programs",
    { othersCores: 1.2, streamsCores: 0.6 },
    /^1\.8 of 2 cores are in use, 1\.2 of them by other/,
  ],
  ["processors that are not known yet", { othersCores: null, streamsCores: 9 }, null],
  ["a full memory", { availableBytes: 0.5 * GIB }, /^512 MiB of memory are left, and this one would take/],
  [
    "a container's memory",
    { availableBytes: 0.5 * GIB, totalBytes: 2 * GIB },
    /^512 MiB of memory are left of what this container may have \(its limit memory\.max\), and this one/,
  ],
  ["memory that others will take", { promisedBytes: 3.6 * GIB }, /^410 MiB of memory are left/],
  ["a large machine's reserve", { totalBytes: 128 * GIB }, /^4096 MiB of memory are left/],
  ["fewer than allowed", { maxStreams: 4 }, null],
  ["as many as allowed", { maxStreams: 3 }, /^3 streams are started already, as many as MAX_STREAMS allows$/],
  ["one core", { cores: 1, processors: 1, machineCores: 1, streamsCores: 1 }, /^1\.0 of 1 core is in use/],
  [
    "a container's time of the processors",
    { cores: 1, processors: 16, machineCores: 16, streamsCores: 0.9 },
    /^0\.9 of the 1 core that this container may use are in use by streams \(its limit cpu\.max\)/,
  ],
  [
    "others on the machine of a container",
    { cores: 8, processors: 16, machineCores: 16, othersCores: 14.5 },
    /^14\.5 of 16 cores are in use, 14\.5 of them by other/,
  ],
  [
    "a container's time beside a busy machine",
    { cores: 1.5, processors: 16, machineCores: 16, othersCores: 9, streamsCores: 1.2 },
    null,
  ],
  [
    "others on the processors of a container",
    { cores: 2, processors: 2, machineCores: 16, othersCores: 1.8 },
    /^1\.8 of 2 cores of 16 that this container may run on \(its limit cpuset\.cpus\) are in use, 1\.8 of them by/,
  ],
  [
    "a container's time on its processors",
    { cores: 1, processors: 2, machineCores: 16, streamsCores: 0.9 },
    /^0\.9 of the 1 core that this container may use are in use by streams \(its limit cpu\.max\)/,
  ],
  [
    "the room of a container's /dev/shm",
    { runBytes: 50 * 1024 ** 2, young: 2 },
    /^50 MiB of RUN_DIR are left \(of a container: its --shm-size\), and a channel takes up to 20/,
  ],
  ["room in /dev/shm for one more channel", { runBytes: 64 * 1024 ** 2, young: 2 }, null],
  [
    "a container's processes and threads",
    { tasks: { most: 500, used: 300 } },
    /^300 of the 500 processes and threads that this container may have are in use \(its limit pids\.max\)/,
  ],
];

for (const [what, situation, refusal] of CASES) {
  Deno.test(`admission: ${what} ${refusal ? "refuses a stream" : "lets a stream in"}`, () => {
    const found = refusalOf(ESTIMATE, { ...IDLE, ...situation });
    if (refusal) assert.match(found?.why ?? "", refusal);
    else assert.equal(found, null);
  });
}

Deno.test("why there is no room is said in some words, too", () => {
  for (
    const [situation, short] of [
      [{ othersCores: 1.2, streamsCores: 0.7 }, "CPU 95 % busy"],
      [{ cores: 1, processors: 16, machineCores: 16, streamsCores: 1.2 }, "CPU 100 % busy"],
      [{ availableBytes: 0.5 * GIB }, "512 MiB of memory free"],
      [{ runBytes: 1e7 }, "10 MiB of RUN_DIR free"],
      [{ tasks: { most: 500, used: 300 } }, "300 of the 500 processes and threads in use"],
      [{ maxStreams: 3 }, "MAX_STREAMS is 3"],
    ] as [Partial<Situation>, string][]
  ) assert.equal(refusalOf(ESTIMATE, { ...IDLE, ...situation })?.short, short);
});
