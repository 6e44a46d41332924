/** Whether Chromium can have its sandbox. */
import type { Config } from "../../config.ts";
import { run, type RunResult } from "../../machine/os/process.ts";
import { commandAs } from "../../machine/os/users.ts";
import { errorText } from "../../machine/tools/log.ts";
import { sleep } from "../../machine/tools/time.ts";
import { anyStreamUser } from "../pipeline_dir.ts";
import { StartError } from "../start_error.ts";

/** The texts for a Chromium without its sandbox. */
export const SANDBOX_OFF = {
  says: "the kernel forbids user namespaces here, so Chromium runs without its sandbox and a hostile page\n" +
    "could act as the user of its stream.",
  remedy: "To fix it: sysctl -w kernel.unprivileged_userns_clone=1 (Debian),\n" +
    "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), or in a container allow it with\n" +
    "--security-opt seccomp=docker/seccomp.json (the profile of this project).",
};

/**
 * What unshare(1) says where the kernel lets a user make no namespaces; and setpriv(1), where root cannot become that user,
 * for which the start has words of its own.
 */
const FORBIDDEN =
  /^unshare: .*(not permitted|permission denied|no space left|invalid argument|not implemented|no such file)|^setpriv: (?!failed to execute)/im;

/** Whether a user may make namespaces, by what unshare(1) says; null: it cannot be told. Pure. */
export function namespacesVerdict({ code, stderr }: Pick<RunResult, "code" | "stderr">): boolean | null {
  if (code === 0) return true;
  return FORBIDDEN.test(stderr) ? false : null;
}

/** Tries to tell it, and the milliseconds between them. */
const [TRIES, PAUSE_MS] = [3, 1000];

/**
 * Whether a stream's user may make the namespaces that Chromium's sandbox needs.
 * @throws {StartError} when that cannot be told: a machine that is busy just now is no reason to go without a sandbox.
 */
export async function canMakeNamespaces(config: Config): Promise<boolean> {
  // all namespaces that Chromium will ask for: AppArmor may allow the user namespace and forbid the others
  const namespaces = ["unshare", "--user", "--map-root-user", "--pid", "--net", "--fork", "true"];
  const argv = commandAs(anyStreamUser(config), namespaces);
  for (let tries = 1;; tries++) {
    const asked = await run(argv, { timeoutMs: 5000, cwd: "/" })
      .catch((error) => ({ code: -1, stderr: errorText(error) }));
    const verdict = namespacesVerdict(asked);
    if (verdict !== null) return verdict;
    if (tries === TRIES) {
      const problem = asked.stderr.trim() || `unshare ended with ${asked.code}`;
      throw new StartError(
        `The check for Chromium's sandbox failed (${problem}). Start the service again,\n` +
          "or set CHROMIUM_SANDBOX to setuid, or to off (unsafe)",
      );
    }
    await sleep(PAUSE_MS);
  }
}

/** CHROMIUM_SANDBOX, with "auto" replaced by the decision. */
export async function findSandbox(config: Config): Promise<Config["CHROMIUM_SANDBOX"]> {
  const wanted = config.CHROMIUM_SANDBOX;
  if (wanted === "off" || wanted === "setuid") return wanted;
  if (await canMakeNamespaces(config)) return "on";
  // without namespaces only Debian's setuid program can make the sandbox
  return wanted === "on" ? "setuid" : "off";
}
