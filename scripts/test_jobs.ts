/** Runs processes of `deno test`, some at a time, and keeps the output and report of each. */
import { join } from "node:path";
import { readReport, type Report } from "./test_report.ts";
import { type Job, type Layer, LAYERS, ROOT } from "./test_plan.ts";

/** Milliseconds; a process that takes longer hangs, whatever its tests wait for. */
const LIMIT_MS = 600_000;
/** Milliseconds for the soak's and the image's tests, which take long. */
const LONGEST_MS = 6 * 3_600_000;

export interface Result extends Report {
  job: Job;
  seconds: number;
  /** The file with the output. */
  log: string;
}

export interface JobOptions {
  /** The folder for logs and reports. */
  folder: string;
  env: Record<string, string>;
  seed: number | null;
  /** Ends the running processes, and starts no other. */
  signal: AbortSignal;
}

/** Runs all jobs of one layer, as many at a time as it allows. @param done takes each ended job's result. */
export async function runJobs(
  jobs: readonly Job[],
  atOnce: number,
  options: JobOptions,
  done: (result: Result) => void,
): Promise<Result[]> {
  const waiting = [...jobs];
  const results: Result[] = [];
  const worker = async () => {
    for (let job = waiting.shift(); job && !options.signal.aborted; job = waiting.shift()) {
      const result = await runJob(job, options);
      results.push(result);
      done(result);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

/** Runs test files in a process of their own. Types are `deno task check`'s. @param again marks the second try. */
export async function runJob(
  job: Job,
  { folder, env, seed, signal }: JobOptions,
  again = "",
): Promise<Result> {
  const { isWatched = false }: Layer = LAYERS[job.layer];
  const base = join(folder, job.name.replace(/[^a-z0-9]+/g, "-") + again);
  const [log, xml] = [`${base}.log`, `${base}.xml`];
  const from = performance.now();
  const output = isWatched ? null : await Deno.open(log, { write: true, create: true });
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "-A", "--no-check", "--sanitize-ops", "--sanitize-resources", `--junit-path=${xml}`],
      ...(seed === null ? [] : [`--shuffle=${seed}`]),
      ...job.files,
    ],
    env: { ...env, NO_COLOR: "1" },
    cwd: ROOT,
    stdin: "null",
    stdout: isWatched ? "inherit" : "piped",
    stderr: isWatched ? "inherit" : "piped",
  }).spawn();
  const end = () => child.kill("SIGTERM");
  signal.addEventListener("abort", end);
  const limit = setTimeout(() => child.kill("SIGKILL"), isWatched ? LONGEST_MS : LIMIT_MS);
  if (output) await Promise.all([child.stdout, child.stderr].map((pipe) => appendTo(output, pipe)));
  const status = await child.status;
  clearTimeout(limit);
  signal.removeEventListener("abort", end);
  output?.close();
  const report = readReport(await Deno.readTextFile(xml).catch(() => ""));
  const hasRun = report.passed + report.skipped.length > 0;
  if (report.failures.length === 0 && (status.code !== 0 || !hasRun)) {
    const how = status.signal === "SIGKILL" ? "hung and was killed" : `ended with ${status.code}`;
    report.failures.push({ name: job.name, text: `The process ${how} after ${report.passed} tests.` });
  }
  return { ...report, job, log, seconds: (performance.now() - from) / 1000 };
}

async function appendTo(file: Deno.FsFile, pipe: ReadableStream<Uint8Array>): Promise<void> {
  for await (const bytes of pipe) {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await file.write(rest));
  }
}
