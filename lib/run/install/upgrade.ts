/** `upgrade`: replaces the installed executable by this executable, and takes it back where it does not answer. */
import { join } from "node:path";
import { type Config, parseConfig } from "../../config.ts";
import { pathsOf } from "../../paths.ts";
import { readOrNull, removeTree } from "../../machine/os/files.ts";
import { errorText } from "../../machine/tools/log.ts";
import { writeBackup } from "../backup/backup.ts";
import { filesBelow } from "../backup/data_files.ts";
import { CommandError } from "../command_error.ts";
import type { Words } from "../command/words.ts";
import type { SelfCommand } from "../self.ts";
import { INSTALLED_DATA_DIR, parseSettings } from "../settings_file.ts";
import { makePlaces, readUnit, replaceExecutable, writeUnit } from "./files.ts";
import { ensurePackages, HEALTHY_MS, NOT_BOOTED } from "./install.ts";
import { type Host, needRoot, ownExecutable, placesOf, SERVICE, thisHost } from "./places.ts";

/** Upgrades the service; returns the exit code. @throws {CommandError} */
export async function upgrade(
  _config: Config,
  _words: Words,
  program: SelfCommand,
): Promise<number> {
  needRoot("upgrade");
  return await upgradeHere(thisHost(""), program);
}

/** Upgrades on this machine. The old executable stays until the new service answers. */
export async function upgradeHere(
  host: Host,
  program: SelfCommand,
  getPackages = ensurePackages,
): Promise<number> {
  const from = ownExecutable(program);
  const { executable, previous, unit } = placesOf(host);
  const oldUnit = await readOrNull(unit);
  if (oldUnit === null) throw new CommandError("It is not installed yet: browser-stream install");
  if (!await host.isBooted()) throw new CommandError(NOT_BOOTED);
  if (await Deno.realPath(executable).catch(() => null) === await Deno.realPath(from)) {
    throw new CommandError(
      "This is the installed executable. Run the new one: sudo ./browser-stream upgrade",
    );
  }
  const newUnit = await readUnit(program);
  await getPackages();
  const saved = await saveData(host);
  await replaceExecutable(executable, previous);
  const put = async (file: string, text: string) => {
    await replaceExecutable(file, executable);
    await writeUnit(host, text);
    await host.systemctl("daemon-reload");
    await host.systemctl("restart", SERVICE);
  };
  await makePlaces(host);
  const problem = await put(from, newUnit).then(
    async () => await host.isHealthy(HEALTHY_MS) ? null : `it did not answer within ${HEALTHY_MS / 1000} s`,
    errorText,
  );
  if (problem === null) {
    await removeTree(previous);
    console.log(`Upgraded.${saved ? ` Backup of the data before: ${saved}` : ""}`);
    return 0;
  }
  console.error(`The upgrade was undone: ${problem}. Its log: journalctl --unit ${SERVICE}`);
  const isBack = await put(previous, oldUnit).then(() => host.isHealthy(HEALTHY_MS), () => false);
  if (isBack) await removeTree(previous);
  console.error(
    isBack
      ? "The old version runs again."
      : `The old version does not answer either. It is kept as ${previous}. What may be wrong: browser-stream doctor` +
        (saved ? `\nTo restore the data: browser-stream restore ${saved}` : ""),
  );
  return 1;
}

/** Makes a backup of the data, which replaces the last upgrade's backup; null: there is no data. */
async function saveData(host: Host): Promise<string | null> {
  const { settings, data } = placesOf(host);
  const given = { DATA_DIR: INSTALLED_DATA_DIR, ...parseSettings(await readOrNull(settings) ?? "") };
  const paths = pathsOf(parseConfig({ ...given, DATA_DIR: join(host.root, given.DATA_DIR) }));
  if ((await filesBelow(paths.streamsDir)).length === 0) return null;
  const file = join(data, "before-upgrade.tar.gz");
  await writeBackup(paths, file, false);
  return file;
}
