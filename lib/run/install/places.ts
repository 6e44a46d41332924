/** The paths of an installed service, and its commands to systemd. */
import { join } from "node:path";
import { parseConfig } from "../../config.ts";
import { localHost } from "../../machine/net/host.ts";
import { isRoot } from "../../machine/os/exec.ts";
import { readOrNull } from "../../machine/os/files.ts";
import { errorText } from "../../machine/tools/log.ts";
import { run } from "../../machine/os/process.ts";
import { sleep } from "../../machine/tools/time.ts";
import { CommandError } from "../command_error.ts";
import type { SelfCommand } from "../self.ts";
import { INSTALLED_DATA_DIR, INSTALLED_USER, parseSettings, SETTINGS_FILE } from "../settings_file.ts";

export const SERVICE = "browser-stream.service";
export const POLICY_DIR = "/etc/chromium/policies/managed";

const USER_FILE = "browser-stream.conf";

const SYSTEMCTL_MS = 60_000;
const USER_MS = 20_000;
/** Source: userdel(8). */
const NO_SUCH_USER = 6;

/** The machine, as far as the commands need it. Tests have their own folders and their own systemd. */
export interface Host {
  /** The prefix of every path: "" is this machine, else the folder of an image that is being made. */
  root: string;
  /** Whether systemd runs here. Source: sd_booted(3) */
  isBooted(): Promise<boolean>;
  /** @throws {CommandError} with the message of systemctl. */
  systemctl(...args: string[]): Promise<void>;
  /** Makes the user of the file in /etc/sysusers.d, which may exist already. @throws {CommandError} */
  makeUser(): Promise<void>;
  /** @throws {CommandError} */
  removeUser(): Promise<void>;
  /** Whether the web app answers within the limit. */
  isHealthy(limitMs: number): Promise<boolean>;
}

/** The places below the root of a host. */
export function placesOf({ root }: Pick<Host, "root">) {
  return {
    executable: join(root, "/usr/local/bin/browser-stream"),
    previous: join(root, "/usr/local/bin/.browser-stream.previous"),
    unit: join(root, "/etc/systemd/system", SERVICE),
    user: join(root, "/etc/sysusers.d", USER_FILE),
    settings: join(root, SETTINGS_FILE),
    data: join(root, INSTALLED_DATA_DIR),
    policies: join(root, POLICY_DIR),
  };
}

/** This machine, or a folder in its place. */
export function thisHost(root: string): Host {
  const inRoot = root === "" ? [] : [`--root=${root}`];
  return {
    root,
    isBooted: () => Deno.stat("/run/systemd/system").then(({ isDirectory }) => isDirectory, () => false),
    systemctl: async (...args) => {
      await succeed(["systemctl", ...inRoot, ...args], SYSTEMCTL_MS);
    },
    makeUser: async () => {
      await succeed(["systemd-sysusers", ...inRoot, USER_FILE], USER_MS);
    },
    removeUser: async () => {
      await succeed(["userdel", INSTALLED_USER], USER_MS, [NO_SUCH_USER]);
    },
    isHealthy: async (limitMs) => {
      const settings = parseSettings(await readOrNull(SETTINGS_FILE) ?? "");
      return await answersWithin(limitMs, healthAddress(settings));
    },
  };
}

/** Runs a program that has to end with 0 or another good code. @throws {CommandError} */
async function succeed(argv: string[], timeoutMs: number, goodCodes: number[] = []): Promise<void> {
  const failed = (reason: string) => new CommandError(`${argv.join(" ")}: ${reason}`);
  const { code, stderr } = await run(argv, { timeoutMs }).catch((error) => {
    throw failed(errorText(error));
  });
  if (code !== 0 && !goodCodes.includes(code)) throw failed(stderr.trim());
}

/** Pure. */
export function healthAddress(settings: Record<string, string>): string {
  const { HOST, PORT } = parseConfig(settings);
  const host = localHost(HOST);
  return `http://${host.includes(":") ? `[${host}]` : host}:${PORT}/healthz`;
}

async function answersWithin(limitMs: number, address: string): Promise<boolean> {
  for (const end = performance.now() + limitMs; performance.now() < end; await sleep(500)) {
    const answer = await fetch(address, { signal: AbortSignal.timeout(2000) }).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok) return true;
  }
  return false;
}

/** @throws {CommandError} when we are not root. */
export function needRoot(command: string): void {
  if (!isRoot()) throw new CommandError(`Only root can do this: sudo browser-stream ${command}`);
}

/** The path of this very executable. @throws {CommandError} where the program is run by Deno. */
export function ownExecutable({ executable }: SelfCommand): string {
  if (executable.length === 1) return executable[0];
  throw new CommandError(
    "Only the executable can be installed, and this is a checkout. Make it and use it:\n\n" +
      "  deno task compile && sudo dist/browser-stream install\n",
  );
}
