/** `uninstall`: stops and removes the installed service; data and settings stay unless they are to go as well. */
import { dirname } from "node:path";
import type { Config } from "../../config.ts";
import { removeTree } from "../../system/files.ts";
import { CommandError, readArguments } from "../command_error.ts";
import { type Host, needRoot, placesOf, SERVICE, thisHost } from "./places.ts";

/** Uninstalls; gives the exit code. @throws {CommandError} */
export async function uninstall(_config: Config, args: readonly string[]): Promise<number> {
  const { given } = readArguments("uninstall", args, [], ["--purge"]);
  needRoot("uninstall");
  return await uninstallHere(thisHost(""), given.has("--purge"));
}

/** @param isPurge whether data and settings go as well. */
export async function uninstallHere(host: Host, isPurge: boolean): Promise<number> {
  const { executable, previous, unit, settings, data } = placesOf(host);
  const isInstalled = await Deno.stat(unit).then(() => true, () => false);
  if (!isInstalled && !isPurge) {
    throw new CommandError("It is not installed, so that there is nothing to remove.");
  }
  if (isInstalled) {
    // its data must not be removed under it
    await host.systemctl("disable", "--now", SERVICE);
    await removeTree(unit);
    await host.systemctl("daemon-reload");
  }
  for (const file of [executable, previous]) await removeTree(file);
  const rest = [data, dirname(settings)];
  if (isPurge) { for (const folder of rest) await removeTree(folder); }
  console.log(
    isPurge
      ? `Removed, with all its data (${rest.join(", ")}). Debian's packages stay.`
      : `Removed. What stays: ${rest.join(", ")} (uninstall --purge removes them), and Debian's packages.`,
  );
  return 0;
}
