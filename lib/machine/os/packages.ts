/** The Debian packages the pipeline needs, and how to get them. */
import { exists } from "node:fs";
import { isRoot } from "./exec.ts";
import { readOrNull } from "./files.ts";

/** A package, and a file that shows that the package is installed. */
export type Package = [packageName: string, file: string];

/** The packages that the service itself needs. */
export const SERVICE_PACKAGES: Package[] = [
  ["chromium", "/usr/bin/chromium"],
  ["tigervnc-standalone-server", "/usr/bin/Xvnc"],
  ["ffmpeg", "/usr/bin/ffmpeg"],
  ["nginx-light", "/usr/sbin/nginx"],
  ["libnginx-mod-rtmp", "/usr/lib/nginx/modules/ngx_rtmp_module.so"],
  ["libnginx-mod-stream", "/usr/lib/nginx/modules/ngx_stream_module.so"],
  ["supervisor", "/usr/bin/supervisord"],
  ["websockify", "/usr/bin/websockify"],
  ["novnc", "/usr/share/novnc/vnc.html"],
  ["pulseaudio", "/usr/bin/pulseaudio"],
  ["openbox", "/usr/bin/openbox"],
  ["nftables", "/usr/sbin/nft"],
  ["dbus-daemon", "/usr/bin/dbus-daemon"],
  ["x11-xserver-utils", "/usr/bin/xrandr"],
  // fonts of the same widths as Arial, Helvetica, Times, Courier, Calibri and Cambria
  ["fonts-liberation", "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf"],
  ["fonts-crosextra-carlito", "/usr/share/fonts/truetype/crosextra/Carlito-Regular.ttf"],
  ["fonts-crosextra-caladea", "/usr/share/fonts/truetype/crosextra/Caladea-Regular.ttf"],
  // the scripts and signs that a desktop has
  ["fonts-noto-core", "/usr/share/fonts/truetype/noto/NotoSansThai-Regular.ttf"],
  ["fonts-dejavu-core", "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"],
  ["fonts-noto-color-emoji", "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf"],
  ["fonts-noto-cjk", "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"],
];

/** Packages that only a service of root's uses. */
const OF_ROOT = ["nftables"];

/** The packages that the service needs as its present user. */
function neededPackages(): Package[] {
  return SERVICE_PACKAGES.filter(([name]) => isRoot() || !OF_ROOT.includes(name));
}

/** The needed packages that are not installed. */
export async function missingPackages(needed: Package[] = neededPackages()): Promise<string[]> {
  const here = await Promise.all(
    needed.map(([, file]) => new Promise<boolean>((done) => exists(file, done))),
  );
  return needed.filter((_, at) => !here[at]).map(([name]) => name);
}

/** The command that installs the packages, for people. */
export function installCommand(packages: string[]): string {
  return `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages.join(" ")}`;
}

/** Keeps Debian's own nginx and supervisor services from starting: we only need the programs. */
async function withoutServices(action: () => Promise<void>): Promise<void> {
  const policy = "/usr/sbin/policy-rc.d";
  const ours = "#!/bin/sh\n# by browser-stream, while it installs packages\nexit 101\n";
  const current = await readOrNull(policy); // ours is there if an installation was killed
  if (current !== null && current !== ours) return await action(); // a container's own policy stands
  await Deno.writeTextFile(policy, ours, { mode: 0o755 });
  try {
    await action();
  } finally {
    await Deno.remove(policy);
  }
}

const LIMIT_MS = 15 * 60_000;

async function aptGet(args: string[], stop: AbortSignal): Promise<void> {
  if (stop.aborted) throw new Error("cancelled");
  const child = new Deno.Command("apt-get", {
    args: ["-q", "-o", "DPkg::Lock::Timeout=120", ...args],
    env: { DEBIAN_FRONTEND: "noninteractive" },
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  // SIGINT lets apt-get end in order, as Ctrl-C does
  const interrupt = () => child.kill("SIGINT");
  const timer = setTimeout(interrupt, LIMIT_MS);
  stop.addEventListener("abort", interrupt, { once: true });
  const { code } = await child.status;
  clearTimeout(timer);
  stop.removeEventListener("abort", interrupt);
  if (code !== 0) throw new Error(`apt-get ${args[0]} failed with ${code}; its messages are above`);
}

/**
 * Installs packages with apt-get, showing its progress. Needs root.
 * @throws {Error} when apt-get fails, takes longer than 15 minutes or `stop` aborts.
 */
export async function installPackages(packages: string[], stop: AbortSignal): Promise<void> {
  await withoutServices(async () => {
    await aptGet(["update"], stop);
    await aptGet(["install", "-y", "--no-install-recommends", ...packages], stop);
  });
}
