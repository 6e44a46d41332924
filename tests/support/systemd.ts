/** A machine whose first process is systemd, for tests of what is installed. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { run, type RunResult } from "../../lib/machine/os/process.ts";
import { isThere, tempDir } from "./fixture.ts";
import { canMount, NEEDS_MOUNT } from "./mounts.ts";
import { until } from "./same.ts";

const SCRIPT = new URL("systemd_machine.sh", import.meta.url).pathname;

/** Where cgroups of version 2 are, which systemd counts its services' processes with. */
async function cgroups(): Promise<string | null> {
  const line = /^\S+ (\S+) cgroup2 \S*\brw\b/m.exec(await Deno.readTextFile("/proc/mounts"));
  return line && line[1];
}

/** Why it cannot be had here; null when it can. Stands in the names of tests that are skipped. */
export async function whyNoSystemd(): Promise<string | null> {
  if (!canMount()) return NEEDS_MOUNT;
  if (!await isThere("/lib/systemd/systemd")) return "needs apt-get install systemd";
  return await cgroups() === null ? "needs cgroups of version 2" : null;
}

export interface SystemdMachine extends AsyncDisposable {
  /** Runs a program there. */
  run(...argv: string[]): Promise<RunResult>;
  /** The path here of a file there. */
  path(file: string): string;
}

export async function startSystemd(): Promise<SystemdMachine> {
  const dir = await tempDir();
  const group = join((await cgroups())!, `bs-test-${Deno.pid}`);
  await Deno.mkdir(group);
  // it enters its group before its own namespace of groups begins there
  const enter = 'echo $$ > "$0/cgroup.procs" && exec "$@"';
  const namespaces = ["--mount", "--pid", "--uts", "--ipc", "--cgroup", "--fork"];
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", enter, group, "/usr/bin/unshare", ...namespaces, "/bin/sh", SCRIPT, dir.path],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const children = `/proc/${child.pid}/task/${child.pid}/children`;
  const first = () => Number((Deno.readTextFileSync(children)).trim()) || null;
  const inside = (argv: string[]) => {
    const pid = first();
    assert.ok(pid, "the machine has ended");
    const env = [
      "/usr/bin/env",
      "-i",
      "HOME=/root",
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    ];
    const enter = ["/usr/bin/nsenter", "-t", String(pid), "-m", "-p", "-u", "-i", "-C", "--"];
    return run([...enter, ...env, ...argv], { timeoutMs: 150_000 });
  };
  const machine: SystemdMachine = {
    run: (...argv) => inside(argv),
    path: (file) => `/proc/${first()}/root${file}`,
    [Symbol.asyncDispose]: async () => {
      const pid = first();
      // all processes of a namespace end with its first one
      if (pid) Deno.kill(pid, "SIGKILL");
      await child.status;
      await until("its groups to be empty", async () => {
        return (await run(["/usr/bin/find", group, "-depth", "-type", "d", "-delete"], { timeoutMs: 9000 }))
          .code === 0;
      });
      await dir[Symbol.asyncDispose]();
    },
  };
  try {
    await until("systemd to be there", async () => {
      if (first() === null) return false;
      return /^(running|degraded)/.test((await inside(["systemctl", "is-system-running"])).stdout);
    });
  } catch (error) {
    await machine[Symbol.asyncDispose]();
    throw error;
  }
  return machine;
}
