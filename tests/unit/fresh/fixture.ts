import { join } from "node:path";
import { Builder } from "../../../lib/fresh/dev.ts";
import { asset } from "../../../lib/fresh/runtime.ts";
import { runtimeState } from "../../../lib/fresh/shared.ts";

export const FIXTURE = join(import.meta.dirname!, "fixtures/app");

/** Removed when the test file's process part ends. */
const scratch: string[] = [];
globalThis.addEventListener(
  "unload",
  () => scratch.forEach((dir) => Deno.removeSync(dir, { recursive: true })),
);

export function makeScratchDir(): string {
  const dir = Deno.makeTempDirSync({ prefix: "fresh-test-" });
  scratch.push(dir);
  return dir;
}

export interface BuiltFixture {
  outDir: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  handle(req: Request, info?: Deno.ServeHandlerInfo): Promise<Response>;
  asset(path: string): string;
}

/**
 * Builds the fixture app into a scratch folder and loads its server. The build runs in a process of its own, since
 * esbuild's service ends some time after `stop()`, which a test that runs meanwhile would be blamed for.
 */
export async function buildFixture(): Promise<BuiltFixture> {
  const outDir = makeScratchDir();
  const builder = new Deno.Command(Deno.execPath(), { args: ["run", "-A", import.meta.filename!, outDir] });
  const { success, stderr } = await builder.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { default: server } = await import(`file://${outDir}/server.js`);
  const { buildId } = runtimeState;
  /** Of this build, though another app may have been made since. */
  const built = <T>(action: () => T): T => {
    runtimeState.buildId = buildId;
    return action();
  };
  return {
    outDir,
    fetch: (path, init) => built(() => server.fetch(new Request(`http://localhost${path}`, init))),
    handle: (req, info) => built(() => server.fetch(req, info)),
    asset: (path) => built(() => asset(path)),
  };
}

/** Collects what is logged as an error while an action runs. */
export async function captureErrors<T>(action: () => Promise<T>): Promise<{ result: T; logged: unknown[] }> {
  const original = console.error;
  const logged: unknown[] = [];
  console.error = (...args: unknown[]) => logged.push(...args);
  try {
    return { result: await action(), logged };
  } finally {
    console.error = original;
  }
}

if (import.meta.main) await new Builder({ root: FIXTURE, outDir: Deno.args[0] }).build();
