/** The folders that stay after a run, below DATA_DIR and PIPELINE_DIR. */
import { join } from "node:path";
import type { Config } from "../config.ts";
import { type Identity, isRoot } from "../machine/os/exec.ts";
import { ensureFolder, type FolderRights, giveTree, removeTree } from "../machine/os/files.ts";
import { run } from "../machine/os/process.ts";
import type { SharedUsers } from "../machine/broker/stream_folders.ts";
import { ownerOf } from "../machine/os/users.ts";
import type { Paths } from "../paths.ts";
import { StartError } from "./start_error.ts";

const ROOT: Identity = { name: "root", uid: 0, gid: 0 };

/** The users of what stays after a run. */
type Users = Pick<SharedUsers, "web" | "capture">;

/** The folders that are the same for all streams, each with its rights. */
export function dataFolders(paths: Paths, { web, capture }: Users): FolderRights[] {
  return [
    [paths.streamsDir, 0o700, web],
    // in root's folder no other user can replace a profile
    [paths.profilesDir, isRoot() ? 0o711 : 0o700, ROOT],
    [paths.logsDir, 0o2750, logsOwner(web)],
    [paths.rewindDir, 0o2750, rewindOwner({ web, capture })],
    [paths.exportsDir, 0o2750, exportsOwner({ web, capture })],
    ...generatedFolders(paths),
  ];
}

/** The recorder looks how much room they take. */
const exportsOwner = ({ web, capture }: Users) => ({ ...web, gid: capture.gid });

/** The web app reads there. */
const rewindOwner = ({ web, capture }: Users) => ({ ...capture, gid: web.gid });

const logsOwner = (web: Identity) => ({ ...web, uid: Deno.uid()! });

/** The folders of what each start generates. */
function generatedFolders(
  { configDir, pythonDir, proxyPythonDir, programsDir, withoutWebRtcDir, frontSoundDir }: Paths,
): FolderRights[] {
  return [
    [configDir, 0o755, ROOT],
    [pythonDir, 0o700, ROOT],
    [proxyPythonDir, 0o755, ROOT],
    [programsDir, 0o700, ROOT],
    [withoutWebRtcDir, 0o755, ROOT],
    [frontSoundDir, 0o755, ROOT],
  ];
}

/**
 * Makes the folders, and takes over folders with other owners, of earlier versions and of a normal user. Root runs and opens
 * files in some of them, so another user's files do not stay there.
 * @param paths whose DATA_DIR and PIPELINE_DIR are root's, as root: nobody else can put a folder in the place of another.
 * @throws {StartError | Error}
 */
export async function makeDataFolders(
  { PIPELINE_DIR }: Pick<Config, "PIPELINE_DIR">,
  paths: Paths,
  users: Users,
): Promise<void> {
  const { web } = users;
  await Deno.mkdir(PIPELINE_DIR, { recursive: true });
  const { uid } = await Deno.lstat(paths.streamsDir);
  // the web app gets root's files as well: a backup, an edited list
  const owners = isRoot() ? new Set([uid ?? 0, 0]) : [];
  for (const owner of owners) if (owner !== web.uid) await giveTree(paths.streamsDir, owner, web);
  await takeLogsDir(paths.logsDir, logsOwner(web));
  await keepTree(paths.rewindDir, rewindOwner(users));
  await keepTree(paths.exportsDir, exportsOwner(users));
  const generatedBy = await Promise.all(generatedFolders(paths).map(([path]) => ownerOf(path)));
  if (isRoot() && generatedBy.some((uid) => uid !== null && uid !== 0)) await removeTree(paths.configDir);
  for (const [path, mode, owner] of dataFolders(paths, users)) await ensureFolder(path, mode, owner);
  for await (const { name } of Deno.readDir(paths.programsDir)) {
    if (name.endsWith(".conf")) await Deno.remove(join(paths.programsDir, name));
  }
}

/** Gives a folder of an earlier owner to this one, with all in it. */
async function keepTree(path: string, owner: Identity): Promise<void> {
  const before = await ownerOf(path);
  if (isRoot() && before !== null && before !== owner.uid) await giveTree(path, before, owner);
}

/** Files that another user left, other than plain ones with one name. */
const FOREIGN = [
  ...["!", "-uid", "0"],
  ...["-o", "!", "-type", "f", "!", "-type", "d"],
  ...["-o", "-type", "f", "-links", "+1"],
];

/** Takes over the folder of the logs, which root opens by their names: a link there would lead root to any file. */
async function takeLogsDir(logsDir: string, owner: Identity): Promise<void> {
  const before = await ownerOf(logsDir);
  await ensureFolder(logsDir, 0o2750, owner);
  if (!isRoot() || before === null || before === 0) return;
  await giveTree(logsDir, before, owner);
  const find = ["/usr/bin/find", logsDir, "-mindepth", "1", "-depth", "(", ...FOREIGN, ")", "-delete"];
  const { code, stderr } = await run(find, { timeoutMs: 60_000, clearEnv: true, cwd: "/" });
  if (code !== 0) {
    throw new StartError(
      `${logsDir} could not be given to the service's user: ${stderr.trim().split("\n")[0]}`,
    );
  }
}
