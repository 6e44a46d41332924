/** Whether Chromium can have its sandbox. */
import type { Config } from "../../config.ts";
import { run } from "../../os/process.ts";
import { commandAs } from "../../os/users.ts";
import { anyStreamUser } from "../pipeline_dir.ts";

/** The texts for a Chromium without its sandbox. */
export const SANDBOX_OFF = {
  says: "the kernel forbids user namespaces here, so Chromium runs without its sandbox and a hostile page\n" +
    "could act as the user of its stream.",
  remedy: "To fix it: sysctl -w kernel.unprivileged_userns_clone=1 (Debian),\n" +
    "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), or in a container allow it with\n" +
    "--security-opt seccomp=docker/seccomp.json (the profile of this project).",
};

/** Whether a stream's user may make the namespaces that Chromium's sandbox needs. */
export async function canMakeNamespaces(config: Config): Promise<boolean> {
  // all namespaces that Chromium will ask for: AppArmor may allow the user namespace and forbid the others
  const namespaces = ["unshare", "--user", "--map-root-user", "--pid", "--net", "--fork", "true"];
  const { code } = await run(commandAs(anyStreamUser(config), namespaces), { timeoutMs: 5000, cwd: "/" });
  return code === 0;
}

/** CHROMIUM_SANDBOX, with "auto" replaced by the decision. */
export async function findSandbox(config: Config): Promise<Config["CHROMIUM_SANDBOX"]> {
  const wanted = config.CHROMIUM_SANDBOX;
  if (wanted === "off" || wanted === "setuid") return wanted;
  if (await canMakeNamespaces(config)) return "on";
  // without namespaces only Debian's setuid program can make the sandbox
  return wanted === "on" ? "setuid" : "off";
}
