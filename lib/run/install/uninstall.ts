/** `uninstall`: stops and removes the installed service; data and settings stay without --purge. */
import { dirname } from "node:path";
import type { Config } from "../../config.ts";
import { removeTree } from "../../machine/os/files.ts";
import { CommandError } from "../command_error.ts";
import type { Words } from "../command/words.ts";
import { INSTALLED_USER } from "../settings_file.ts";
import { type Host, needRoot, placesOf, SERVICE, thisHost } from "./places.ts";

/** Uninstalls the service; returns the exit code. @throws {CommandError} */
export async function uninstall(_config: Config, { options }: Words): Promise<number> {
  needRoot("uninstall");
  return await uninstallHere(thisHost(""), options.purge === true);
}

/** @param isPurge whether data and settings are removed as well. */
export async function uninstallHere(host: Host, isPurge: boolean): Promise<number> {
  const { executable, previous, unit, user, settings, data } = placesOf(host);
  const isInstalled = await Deno.stat(unit).then(() => true, () => false);
  if (!isInstalled && !isPurge) {
    throw new CommandError("It is not installed. There is nothing to remove.");
  }
  if (isInstalled) {
    // a running service must not lose its data
    await host.systemctl("disable", "--now", SERVICE);
    await removeTree(unit);
    await host.systemctl("daemon-reload");
  }
  for (const file of [executable, previous]) await removeTree(file);
  const rest = [data, dirname(settings)];
  if (isPurge) {
    for (const folder of rest) await removeTree(folder);
    await removeTree(user);
    await host.removeUser();
  }
  console.log(
    isPurge
      ? `Removed, with all its data (${rest.join(", ")}) and its user. Debian's packages stay.`
      : `Removed. These stay: ${rest.join(", ")} and the user ${INSTALLED_USER}, who owns them\n` +
        "(uninstall --purge removes both), and Debian's packages.",
  );
  return 0;
}
