/** What a part of `deno task bench` is, and what its runner gives it. */
import { type Options, startService, type TestService } from "../tests/support/service.ts";
import type { Row } from "./table.ts";

export interface Bench {
  /** As on the command line. */
  name: string;
  /** After so long it counts as failed. */
  limitMs: number;
  /** @param scope whatever is started goes in there, and ends with the bench, however that ends. */
  run(scope: AsyncDisposableStack): Promise<Row[]>;
}

/** A part of the full length, for a try whose figures nobody keeps. */
const length = Number(Deno.env.get("BENCH_LENGTH") || 1);

/** How many rounds, or seconds, of those that a full measurement takes; at least one. */
export function shortened(full: number): number {
  return Math.max(1, Math.round(full * length));
}

/** A service that stops with the scope, also when the scope ends while it starts. */
export async function serviceIn(scope: AsyncDisposableStack, options?: Options): Promise<TestService> {
  const starting = startService(options);
  scope.defer(async () => {
    const service = await starting.catch(() => null);
    await service?.stop();
  });
  return await starting;
}

/** A folder for everybody, that goes with the scope. */
export function folderIn(scope: AsyncDisposableStack, options?: Deno.MakeTempOptions): string {
  const folder = Deno.makeTempDirSync({ prefix: "bs-bench-", ...options });
  scope.defer(() => Deno.remove(folder, { recursive: true }));
  Deno.chmodSync(folder, 0o777);
  return folder;
}

/** A line of what is measured meanwhile. */
export function progress(text: string): void {
  console.log(`  ${text}`);
}
