/**
 * The one executable: its size, the web app's start to its first answer, its memory when idle, and what each program that
 * the supervisor runs costs before it becomes another; beside an executable that only answers, made by the same
 * compiler.
 */
import { join } from "node:path";
import { makeRunDir, removeRunDir } from "../lib/run/run_dir.ts";
import { chooseSharedUsers } from "../lib/run/shared_users.ts";
import { parseConfig } from "../lib/config.ts";
import { pathsOf } from "../lib/paths.ts";
import { compile, compileService } from "../tests/support/denort.ts";
import { root } from "../tests/support/fixture.ts";
import { ownEnvironment } from "../tests/support/service.ts";
import { type Bench, folderIn, progress, shortened } from "./bench.ts";
import { median } from "./figures.ts";
import { startOther } from "./peer.ts";
import { memory } from "./processes.ts";
import type { Row } from "./table.ts";
import { pause, within } from "../tests/support/within.ts";
import { UserRecords } from "../lib/machine/os/user_records.ts";

const ROUNDS = shortened(9);
const [START_MS, REST_MS] = [20_000, 1500];

/** Makes ours, and one that only answers. */
async function executables(scope: AsyncDisposableStack): Promise<Record<"executable" | "hello", string>> {
  const folder = folderIn(scope);
  const [executable, hello] = ["browser-stream", "hello"].map((name) => join(folder, name));
  await compileService(root, executable);
  // a copy: beside the checkout's node_modules, all of it would be put in
  await Deno.copyFile(new URL("hello.ts", import.meta.url), join(folder, "hello.ts"));
  const flags = ["-A", "--no-config", "--no-lock", "--no-check", "--quiet", "--no-code-cache"];
  await compile(["compile", ...flags, "--output", hello, "hello.ts"], folder);
  const mib = async (path: string) => ((await Deno.stat(path)).size / 2 ** 20).toFixed(1);
  progress(`executable ${await mib(executable)} MiB, one that only answers ${await mib(hello)} MiB`);
  return { executable, hello };
}

/** An environment with the folders that `up` makes, without which no web app starts. */
async function preparedIn(scope: AsyncDisposableStack): Promise<Record<string, string>> {
  const { env } = scope.use(await ownEnvironment({ env: { LOG_LEVEL: "info" } }));
  const config = parseConfig(env);
  const paths = pathsOf(config);
  scope.defer(() => removeRunDir(paths));
  const records = Deno.uid() === 0 ? new UserRecords(paths) : null;
  const users = await chooseSharedUsers(config, records);
  scope.defer(async () => await records?.forgetAll());
  await Deno.mkdir(paths.runDir, { recursive: true });
  await makeRunDir(paths, users);
  await Deno.mkdir(paths.streamsDir);
  await Deno.chown(paths.streamsDir, users.web.uid, users.web.gid);
  return env;
}

/** Milliseconds to the first answer, and MiB when nothing is asked of it any more. */
interface Start {
  ms: number;
  mib: number;
}

async function start(argv: string[], env: Record<string, string>): Promise<Start> {
  const from = performance.now();
  await using child = startOther(argv, env, "SIGTERM");
  const url = `http://127.0.0.1:${env.PORT}/api/config`;
  await within("the first answer", START_MS, async () => {
    const answer = await fetch(url).catch(() => null);
    await answer?.body?.cancel();
    return answer?.ok;
  }, 1);
  const ms = performance.now() - from;
  await pause(REST_MS);
  return { ms, mib: memory(child.pid, "Rss") };
}

/** Milliseconds that a program takes to find out that there is no such stream. */
async function prelude(program: string[], env: Record<string, string>): Promise<number> {
  const from = performance.now();
  await using child = startOther([...program, "display", "nobody"], env);
  await child.status;
  return performance.now() - from;
}

export const executable: Bench = {
  name: "executable",
  limitMs: 480_000,
  async run(scope) {
    const made = await executables(scope);
    const env = await preparedIn(scope);
    const [starts, plain, preludes] = [[] as Start[], [] as Start[], [] as number[]];
    for (let round = 0; round < ROUNDS; round++) {
      starts.push(await start([made.executable, "serve", "--port"], env));
      plain.push(await start([made.hello], env));
      preludes.push(await prelude([made.executable], env));
    }
    progress(`before another program ${median(preludes).toFixed(0)} ms`);
    const row = (name: string, unit: string, of: (one: Start) => number): Row => ({
      name: `executable, ${name}`,
      unit,
      better: "less",
      ours: median(starts.map(of)),
      baseline: median(plain.map(of)),
      beside: "an executable that answers a constant",
    });
    return [row("first answer", "ms", ({ ms }) => ms), row("idle memory", "MiB of RSS", ({ mib }) => mib)];
  },
};
