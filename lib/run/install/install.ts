/** `install`: executable, packages, settings, a user and a systemd unit; then the start of the service. */
import { resolve } from "node:path";
import type { Config } from "../../config.ts";
import { errorText } from "../../machine/tools/log.ts";
import {
  installCommand,
  installPackages,
  missingPackages,
  SERVICE_PACKAGES,
} from "../../machine/os/packages.ts";
import { CommandError } from "../command_error.ts";
import type { Words } from "../command/words.ts";
import type { SelfCommand } from "../self.ts";
import { makePlaces, readUnit, replaceExecutable, writeUnit } from "./files.ts";
import { type Host, needRoot, ownExecutable, placesOf, SERVICE, thisHost } from "./places.ts";

/** Milliseconds until the web app answers, on a slow machine. */
export const HEALTHY_MS = 60_000;

export const NOT_BOOTED = "systemd does not run here, and the installed service needs it.\n" +
  "In a container use docker-compose.yml; anywhere else `browser-stream up` is the whole service.";

/** Installs the service; returns the exit code. @throws {CommandError} */
export async function install(
  _config: Config,
  { options: { root } }: Words,
  program: SelfCommand,
): Promise<number> {
  needRoot("install");
  if (root === undefined) return await installHere(thisHost(""), program);
  return await installFiles(thisHost(resolve(`${root}`)), program);
}

/** Installs into a folder, the later root of another machine: nothing is started, and no package is installed. */
export async function installFiles(host: Host, program: SelfCommand): Promise<number> {
  await refuseSecond(host);
  await writeFiles(host, program);
  await host.systemctl("enable", SERVICE);
  console.log(
    `Installed in ${host.root}. It starts with that machine, which needs these Debian packages. Run there:\n\n  ` +
      installCommand(SERVICE_PACKAGES.map(([name]) => name)),
  );
  return 0;
}

/** Installs on this machine. */
export async function installHere(
  host: Host,
  program: SelfCommand,
  getPackages = ensurePackages,
): Promise<number> {
  ownExecutable(program); // throws before the first change
  await refuseSecond(host);
  if (!await host.isBooted()) throw new CommandError(NOT_BOOTED);
  await getPackages();
  await writeFiles(host, program);
  await host.systemctl("daemon-reload");
  await host.systemctl("enable", SERVICE);
  await host.systemctl("restart", SERVICE);
  if (!await host.isHealthy(HEALTHY_MS)) {
    console.error(
      `Installed, but it does not answer. Its log: journalctl --unit ${SERVICE}\nWhat may be wrong: browser-stream doctor`,
    );
    return 1;
  }
  const { settings, data } = placesOf(host);
  console.log(
    `Installed and started. Its settings are in ${settings} (set a login there), its data in ${data}.\n` +
      "Next: systemctl status browser-stream, browser-stream doctor, browser-stream backup FILE",
  );
  return 0;
}

async function refuseSecond(host: Host): Promise<void> {
  const { unit } = placesOf(host);
  if (!await Deno.stat(unit).catch(() => null)) return;
  throw new CommandError(
    `It is installed already (${unit}). To replace it by this one: browser-stream upgrade`,
  );
}

async function writeFiles(host: Host, program: SelfCommand): Promise<void> {
  const from = ownExecutable(program);
  const { executable, unit } = placesOf(host);
  if (await Deno.stat(unit).catch(() => null)) {
    throw new CommandError(
      `It is installed already (${unit}). To replace it by this one: browser-stream upgrade`,
    );
  }
  const text = await readUnit(program);
  await makePlaces(host);
  if (await Deno.realPath(executable).catch(() => null) !== await Deno.realPath(from)) {
    await replaceExecutable(from, executable);
  }
  await writeUnit(host, text);
}

/** @throws {CommandError} */
export async function ensurePackages(): Promise<void> {
  const missing = await missingPackages();
  if (missing.length === 0) return;
  console.log(`Installing ${missing.length} Debian packages: ${missing.join(" ")}`);
  await installPackages(missing, new AbortController().signal).catch((error) => {
    throw new CommandError(`${errorText(error)}. To try by hand:\n\n  ${installCommand(missing)}\n`);
  });
}
