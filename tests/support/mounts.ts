/** File systems that a test mounts: in a mount namespace of the service's own, where nobody else sees them. */
import { strict as assert } from "node:assert";
import { run } from "../../lib/machine/os/process.ts";

/** Stands in the names of tests that are skipped without it. */
export const NEEDS_MOUNT = "needs root and CAP_SYS_ADMIN, to mount";

/** CAP_SYS_ADMIN (capabilities(7)): root in a container often lacks it. */
export function canMount(): boolean {
  const mask = /^CapEff:\s+([0-9a-f]+)/m.exec(Deno.readTextFileSync("/proc/self/status"))![1];
  return Deno.uid() === 0 && (BigInt(`0x${mask}`) >> 21n & 1n) === 1n;
}

/** A command line that runs a program with mounts of its own. @param setup of a shell, run there before; "$0" is `argument`. */
export function withOwnMounts(program: readonly string[], setup = ":", argument = "sh"): string[] {
  return ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", `${setup} && exec "$@"`, argument, ...program];
}

/** Runs a command where a process has its mounts. */
export async function amongMountsOf(pid: number, argv: readonly string[]): Promise<void> {
  await mustRun(["/usr/bin/nsenter", `--mount=/proc/${pid}/ns/mnt`, "--", ...argv]);
}

/** @throws {AssertionError} with what it said, when it fails. */
export async function mustRun(argv: string[]): Promise<void> {
  const { code, stderr } = await run(argv, { timeoutMs: 10_000 });
  assert.equal(code, 0, stderr);
}

/** Fills a file until its disk has no byte left. */
export async function fillDisk(path: string): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true, append: true });
  for (const bytes of [new Uint8Array(64 * 1024), new Uint8Array(1024)]) {
    while (await file.write(bytes).catch(() => 0) > 0);
  }
}
