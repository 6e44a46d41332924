/** The folders and the generated files of a run, which are made from the templates at every start. */
import { join } from "node:path";
import type { Repairs } from "../machine/broker/repairs.ts";
import { StreamFolders } from "../machine/broker/stream_folders.ts";
import { OneUser, UserPerStream } from "../machine/broker/stream_users.ts";
import { isLoginOn, uidRangeOf } from "../config.ts";
import { frontConfig } from "../door/front/config.ts";
import { mediaConfig } from "../channel/media/config.ts";
import { newPublishSecret } from "../channel/media/publish.ts";
import { isDisplayUp, removeStaleDisplay } from "../display/display.ts";
import { NOWHERE, reachRules } from "../reach/packet_rules.ts";
import { keepFrontSound } from "../browser/front_sound.ts";
import { keepWithoutWebRtc } from "../reach/without_webrtc.ts";
import {
  keepLogs,
  programFileIds,
  supervisorCommand,
  supervisorValue,
  writePrograms,
} from "../machine/supervisor/program_files.ts";
import type { StreamId } from "../model/id.ts";
import { type Identity, isRoot } from "../machine/os/exec.ts";
import { giveTo, writeFileAtomic } from "../machine/os/files.ts";
import { log } from "../machine/tools/log.ts";
import { readOutput, runBytes } from "../machine/os/process.ts";
import { writePromises } from "../machine/os/promises.ts";
import { render, type Templates } from "../templates.ts";
import { portClaims, socketSettings } from "./checks/ports.ts";
import { issuersText } from "../browser/authorities.ts";
import { makeDataFolders } from "./data_folders.ts";
import { installExtensions } from "./extensions.ts";
import { removeLeftovers } from "./leftovers.ts";
import type { StartContext } from "./preflight.ts";
import { makeRunDir, RunContents, runFolders } from "./run_dir.ts";
import type { SelfCommand } from "./self.ts";
import { readStreamIds } from "./stream_ids.ts";
import { programsEnv } from "./supervise.ts";

export interface Provisioned {
  /** The path of supervisord's configuration. */
  supervisord: string;
  folders: StreamFolders;
  contents: RunContents;
  /** Removes left-over files of deleted streams and of browsers. */
  clean(): Promise<void>;
}

/**
 * Makes folders and files for one life of supervisord, and the maker of the streams' folders.
 * @param checkGuards throws when something that was promised is not there. @param isRevival whether our supervisord has just died: no stream has a picture, so known facts are not asked.
 * @throws {StartError} when the stream list or the access tokens cannot be read.
 */
export async function provision(
  context: StartContext,
  templates: Templates,
  program: SelfCommand,
  repairs: Repairs,
  checkGuards: () => Promise<void>,
  isRevival: boolean,
): Promise<Provisioned> {
  const { config, paths, issuers, secretFiles, users, records, filter, memory, promises } = context;
  await context.renewRunDir();
  await makeRunDir(paths, users);
  await writePromises(paths.promisesFile, promises);
  for (const [path, text] of Object.entries(secretFiles)) {
    await writeFileAtomic(path, text, 0o600);
    await giveTo(users.web, path);
  }
  await writeFileAtomic(paths.issuersFile, await issuersText(issuers), 0o644);
  const readIds = () => readStreamIds(program, programsEnv(config, paths));
  // each started stream has its program file; another stream gets its file with its start
  const known = isRevival ? await programFileIds(paths.programsDir) : null;
  await makeDataFolders(config, paths, users);
  if (!isRevival) {
    for (const problem of await installExtensions(paths)) {
      log("warn", "an extension is left out", { problem });
    }
  }
  const ids = known ? { all: known, own: known, started: known } : await readIds();
  const supervisord = await renderConfigs(context, templates, program);
  const programFiles = { templates, executable: program.executable, ...paths };
  for (const id of ids.own) await keepLogs(programFiles, id, users.web);
  // supervisord reads all files at each change: of a thousand streams for so long that it is taken for hung
  for (const id of ids.started) await writePrograms(programFiles, id, users.web);
  const folders = new StreamFolders({
    paths,
    programFiles,
    users: records
      ? new UserPerStream(paths.profilesDir, uidRangeOf(config), records, Object.values(users))
      : new OneUser(paths.profilesDir, users.web),
    shared: users,
    memory,
    displayBase: config.DISPLAY_BASE,
    machine: {
      removeStaleDisplay,
      isUp: isDisplayUp,
      runBytes,
      readOutput,
      checkGuards,
      restrict: async (uid) => await filter?.restrict(uid, reachRules(NOWHERE, config.RTMP_PORT)),
    },
    repairs,
  });
  const remove = (id: StreamId, keepsPast: boolean) => folders.removeLeftover(id, keepsPast);
  if (!isRevival) {
    const elsewhere = ids.all.filter((id) => !ids.own.includes(id));
    await removeLeftovers({ paths, ids: () => Promise.resolve(ids.own), elsewhere, remove });
  }
  const clean = async () => {
    await folders.removeTemporaryFiles();
    await removeLeftovers({ paths, ids: async () => (await readIds()).all, remove });
  };
  return { supervisord, folders, clean, contents: await contentsOf(context) };
}

/** The folders and files that this run's programs need and that only a start makes. */
function contentsOf({ paths, users, secretFiles }: StartContext): Promise<RunContents> {
  const { configDir, pythonDir, proxyPythonDir, programsDir, extensionsDir } = paths;
  return RunContents.of([
    ...runFolders(paths, users).map(([path]) => path),
    ...[configDir, pythonDir, proxyPythonDir, programsDir, extensionsDir],
    ...["supervisord.conf", "nginx.conf", "front.conf", "openbox.xml", "bus.xml"].map((name) =>
      join(configDir, name)
    ),
    ...[paths.upLock, paths.promisesFile, paths.issuersFile, paths.publishSecretFile, paths.mediaKeyFile],
    ...Object.keys(secretFiles),
  ], paths.runDir);
}

/** Writes the configurations of supervisord, the front door, the media server, the window managers and the browsers' buses. */
async function renderConfigs(
  { config, paths, users }: StartContext,
  templates: Templates,
  program: SelfCommand,
): Promise<string> {
  const supervisord = join(paths.configDir, "supervisord.conf");
  const claims = portClaims(config);
  const values = {
    run: supervisorValue(paths.runDir),
    logs: supervisorValue(paths.logsDir),
    programs: supervisorValue(paths.programsDir),
    exe: supervisorCommand(program.executable),
    isCapturing: String(config.CAPTURE === "auto"),
    frontSockets: socketSettings(claims, "front"),
    mediaSockets: socketSettings(claims, "media"),
    vncSockets: socketSettings(claims, "vnc-proxy"),
    userLine: isRoot() ? "user=root" : "; runs as the user who started it",
  };
  await writeFileFor(users.web, supervisord, render(templates.supervisord, values));
  await writeFileAtomic(join(paths.pythonDir, "supervisor_poller.py"), templates.supervisorPoller, 0o600);
  await writeFileAtomic(join(paths.pythonDir, "supervisor_programs.py"), templates.supervisorPrograms, 0o600);
  await writeFileAtomic(join(paths.pythonDir, "supervisor_server.py"), templates.supervisorServer, 0o600);
  await writeFileAtomic(join(paths.pythonDir, "supervisor_sockets.py"), templates.supervisorSockets, 0o600);
  await writeFileAtomic(join(paths.proxyPythonDir, "vnc_targets.py"), templates.vncTargets);
  const publishSecret = newPublishSecret();
  await writeFileAtomic(paths.publishSecretFile, publishSecret, 0o600);
  const mediaKey = isLoginOn(config) ? newPublishSecret() : null;
  if (mediaKey !== null) {
    await writeFileAtomic(paths.mediaKeyFile, mediaKey, 0o600);
    await giveTo(users.web, paths.mediaKeyFile);
  }
  const nginx = mediaConfig(config, paths, templates, { publishSecret, mediaKey });
  await writeFileFor(users.media, join(paths.configDir, "nginx.conf"), nginx);
  const front = frontConfig(config, paths, templates);
  await writeFileFor(users.front, join(paths.configDir, "front.conf"), front);
  await writeFileAtomic(join(paths.configDir, "openbox.xml"), templates.openbox);
  await writeFileAtomic(join(paths.configDir, "bus.xml"), templates.bus);
  await keepWithoutWebRtc(paths.withoutWebRtcDir);
  await keepFrontSound(paths.frontSoundDir);
  return supervisord;
}

/** Writes a file of ours that only the reader's group may read. */
async function writeFileFor(reader: Identity, path: string, content: string): Promise<void> {
  await writeFileAtomic(path, content, 0o640);
  await giveTo({ ...reader, uid: Deno.uid()! }, path);
}
