/** The folders and the generated files of a run, which are made from the templates at every start. */
import { join } from "node:path";
import { AccessTokens } from "../auth/access_tokens.ts";
import { frontValues } from "../front/config.ts";
import { mediaListen } from "../media/listen.ts";
import { newPublishSecret } from "../media/publish.ts";
import { newXauthority } from "../pipeline/xauth.ts";
import { StreamStore } from "../streams/store.ts";
import { supervisorCommand, supervisorValue, writePrograms } from "../supervisor/program_files.ts";
import { ensureFolder, giveTo, writeFileAtomic } from "../system/files.ts";
import { render, type Templates } from "../templates.ts";
import { VncTokens } from "../vnc/tokens.ts";
import type { StartContext } from "./preflight.ts";
import { makeRunDir } from "./run_dir.ts";
import type { SelfCommand } from "./self.ts";

/**
 * Makes folders and files for one life of supervisord. Returns the path of its configuration.
 * @throws {StreamFileError | AccessFileError} when the stream list or the access tokens cannot be read; then nothing
 * was touched.
 */
export async function provision(
  context: StartContext,
  templates: Templates,
  program: SelfCommand,
): Promise<string> {
  const { paths, user } = context;
  const ids = (await StreamStore.open(paths.streamsFile)).list().map(({ id }) => id);
  await AccessTokens.open(paths.accessTokensFile, Date.now);
  await makeRunDir(paths, user);
  await makeFolders(context);
  const supervisord = await renderConfigs(context, templates, program);
  const files = { templates, executable: program.executable, ...paths };
  for (const id of ids) await writePrograms(files, id);
  await writeFileAtomic(paths.xauthority, newXauthority(), 0o600);
  await giveTo(user, paths.xauthority);
  await new VncTokens(paths, user).sync(ids);
  if (context.credentials) {
    await writeFileAtomic(paths.authUserFile, context.credentials.user, 0o600);
    await writeFileAtomic(paths.authPassFile, context.credentials.pass, 0o600);
  }
  return supervisord;
}

/** Makes the folders that stay. */
async function makeFolders({ config, paths, user }: StartContext): Promise<void> {
  await Deno.mkdir(config.PIPELINE_DIR, { recursive: true });
  for (const folder of [paths.streamsDir, paths.configDir, paths.programsDir]) {
    await ensureFolder(folder, 0o755);
  }
  await ensureFolder(paths.logsDir, 0o750);
  for await (const { name } of Deno.readDir(paths.programsDir)) {
    if (name.endsWith(".conf")) await Deno.remove(join(paths.programsDir, name));
  }
  await ensureFolder(paths.profilesDir, 0o700, user);
}

/** Writes the configurations of supervisord, the front door, the media server and the window managers. */
async function renderConfigs(
  { config, paths, user }: StartContext,
  templates: Templates,
  program: SelfCommand,
): Promise<string> {
  const supervisord = join(paths.configDir, "supervisord.conf");
  const values = {
    run: supervisorValue(paths.runDir),
    logs: supervisorValue(paths.logsDir),
    programs: supervisorValue(paths.programsDir),
    exe: supervisorCommand(program.executable),
    userLine: Deno.uid() === 0 ? "user=root" : "; runs as the user who started it",
  };
  await writeFileAtomic(supervisord, render(templates.supervisord, values));
  const publishSecret = newPublishSecret();
  await writeFileAtomic(paths.publishSecretFile, publishSecret, 0o600);
  const nginx = render(templates.nginx, {
    run: paths.runDir,
    hls: paths.hlsDir,
    port: config.PORT,
    rtmpPort: config.RTMP_PORT,
    mediaPort: config.MEDIA_PORT,
    mediaListen: mediaListen(config),
    publishSecret,
  });
  const nginxFile = join(paths.configDir, "nginx.conf");
  await writeFileAtomic(nginxFile, nginx, 0o600);
  await giveTo(user, nginxFile);
  const front = render(templates.front, frontValues(config, paths));
  await writeFileAtomic(join(paths.configDir, "front.conf"), front);
  await writeFileAtomic(join(paths.configDir, "openbox.xml"), templates.openbox);
  return supervisord;
}
