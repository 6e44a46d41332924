/**
 * The program: its size, the web app's start to its first response and its memory, and what each program that the
 * supervisor runs costs before it becomes another; the executable against the bundle and against the unbundled sources,
 * in one run.
 *
 *     deno task build && deno run -A bench/executable.ts [EXECUTABLE]
 */
import { makeDataDir, ownEnvironment, SOURCE_PROGRAM } from "../tests/support/service.ts";
import { median, memory } from "./processes.ts";

const ROUNDS = 9;
const root = new URL("..", import.meta.url).pathname;

async function start(program: string[], env: Record<string, string>): Promise<{ ms: number; mib: number }> {
  const from = performance.now();
  const child = new Deno.Command(program[0], {
    args: [...program.slice(1), "serve", "--port"],
    env,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const url = `http://127.0.0.1:${env.PORT}/api/config`;
  while (performance.now() - from < 20_000) {
    const answer = await fetch(url).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok) break;
    await new Promise((done) => setTimeout(done, 1));
  }
  const ms = performance.now() - from;
  await new Promise((done) => setTimeout(done, 1500));
  const mib = memory(child.pid, "Rss");
  child.kill("SIGTERM");
  await child.status;
  return { ms, mib };
}

/** Milliseconds that a program takes to find out that there is no such stream. */
async function prelude(program: string[], env: Record<string, string>): Promise<number> {
  const from = performance.now();
  const args = [...program.slice(1), "display", "nobody"];
  await new Deno.Command(program[0], { args, env, stdin: "null", stdout: "null", stderr: "null" }).output();
  return performance.now() - from;
}

const dataDir = await makeDataDir();
await Deno.mkdir(`${dataDir}/streams`);
const programs: Record<string, string[]> = {
  sources: [Deno.execPath(), "run", "-A", `${root}main.ts`],
  bundle: SOURCE_PROGRAM,
};
if (Deno.args[0]) programs.executable = [await Deno.realPath(Deno.args[0])];
const results: Record<string, { ms: number[]; mib: number[]; preludeMs: number[] }> = {};
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, program] of Object.entries(programs)) {
    await using environment = await ownEnvironment({ dataDir });
    const { ms, mib } = await start(program, environment.env);
    results[name] ??= { ms: [], mib: [], preludeMs: [] };
    results[name].ms.push(ms);
    results[name].mib.push(mib);
    results[name].preludeMs.push(await prelude(program, environment.env));
  }
}
await Deno.remove(dataDir, { recursive: true });
if (Deno.args[0]) {
  console.log(`executable: ${((await Deno.stat(Deno.args[0])).size / 1024 / 1024).toFixed(1)} MiB`);
}
const base = median(results.sources.ms);
for (const [name, { ms, mib, preludeMs }] of Object.entries(results)) {
  const ratio = (median(ms) / base).toFixed(2);
  console.log(
    `${name.padEnd(10)} first response ${median(ms).toFixed(0).padStart(4)} ms (ratio ${ratio}), ` +
      `idle RSS ${median(mib).toFixed(1)} MiB, before another program ${median(preludeMs).toFixed(0)} ms`,
  );
}
