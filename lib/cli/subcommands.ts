/** The supervised programs as subcommands: each prepares what its program needs, then becomes it. */
import { join } from "node:path";
import type { Config } from "../config.ts";
import { askForPictures, videoSocket } from "../capture/ask.ts";
import { compilePixels } from "../capture/picture.ts";
import { runCapture } from "../capture/server.ts";
import { giveSignOfLife } from "../capture/sign_of_life.ts";
import { autoLogin } from "../devtools/autologin.ts";
import { autoReload } from "../devtools/autoreload.ts";
import { printReport } from "../devtools/login_report.ts";
import { browserAt } from "../devtools/hub_socket.ts";
import { frontSocket, needsRoot } from "../front/config.ts";
import { seedSequence } from "../media/hls.ts";
import {
  browserPipes,
  captureKey,
  hubSocket,
  instanceName,
  type Paths,
  pathsOf,
  picturesFolder,
  type SlotPaths,
  slotPaths,
  vncSocket,
} from "../paths.ts";
import { audioCommand, pulseSocket, waitForSound } from "../pipeline/audio.ts";
import { busCommand, busVariables, startBus } from "../pipeline/bus.ts";
import { browserCommand, prepareFolders } from "../pipeline/browser.ts";
import { writeProfileSettings } from "../pipeline/profile_settings.ts";
import { findReach } from "../pipeline/reach_flags.ts";
import { displayCommand, setRefreshRate, waitForDisplay } from "../pipeline/display.ts";
import { encoderCommand } from "../pipeline/encoder.ts";
import { joinDisplay } from "../pipeline/shared_memory.ts";
import { displaySocket, parseSpec, readSpecText, SINK, type StreamSpec } from "../pipeline/spec.ts";
import { publishKey, readPublishSecret, writePublishPreset } from "../media/publish.ts";
import { thisNetwork } from "../net/this_network.ts";
import type { StreamId } from "../streams/id.ts";
import { parseSize } from "../streams/schema.ts";
import { gopFrames, targetDuration } from "../streams/segments.ts";
import { parseOrigins } from "../streams/login_origins.ts";
import {
  actAs,
  becomeUser,
  execve,
  forgetKept,
  type Identity,
  isRoot,
  leaveSharedMemory,
} from "../system/exec.ts";
import { makeFifo } from "../system/fifo.ts";
import { giveTo, removeTree } from "../system/files.ts";
import { MemoryGroups } from "../system/memory_group.ts";
import { killByCommand, killNginx, RUN_MARKER } from "../system/orphans.ts";
import { clientsOf } from "../system/ports.ts";
import { run } from "../system/process.ts";
import { errorText } from "../system/log.ts";
import { sleep } from "../system/time.ts";
import { commandWithLowPorts, recordedUser } from "../system/users.ts";
import { readCookie } from "../x11/connection.ts";
import { Cover } from "../x11/cover.ts";
import type { SelfCommand } from "./self.ts";

/** Of a stream's user, in all: a browser's page with many frames has some hundreds, a fork bomb has them at once. */
const MAX_PROCESSES = 2000;

/** What the subcommands make their command lines from. */
interface ExecContext {
  config: Config;
  paths: Paths;
  env: Record<string, string>;
}

interface StreamContext extends ExecContext {
  id: StreamId;
  spec: StreamSpec;
  slot: SlotPaths;
  user: Identity;
}

/** The whole environment of a program: no variable of the service, so no secret. */
function plainEnv(config: Config, paths: Paths, user: Identity, homeDir: string): Record<string, string> {
  return {
    [RUN_MARKER]: paths.runDir,
    HOME: homeDir,
    USER: user.name,
    LOGNAME: user.name,
    PATH: "/usr/local/bin:/usr/bin:/bin",
    LANG: "C.UTF-8",
    ...(config.TZ ? { TZ: config.TZ } : {}),
  };
}

/** A program that all streams share becomes the user whom its folder belongs to, and works there. */
async function sharedContext(config: Config, folder: (paths: Paths) => string): Promise<ExecContext> {
  const paths = pathsOf(config);
  Deno.chdir(folder(paths));
  const user = await recordedUser(folder(paths));
  becomeUser(user, { processes: isRoot() ? MAX_PROCESSES : null });
  return { config, paths, env: plainEnv(config, paths, user, folder(paths)) };
}

interface StreamOptions {
  mayGainRights?: boolean;
  keep?: Identity;
  /** Whether it shares pixels with the display. */
  usesDisplay?: boolean;
}

/**
 * A program of a stream becomes the stream's user. The stream's spec is the web app's, so it is read with the web app's
 * rights, and looked at with the stream's alone.
 */
async function streamContext(
  config: Config,
  id: StreamId,
  { mayGainRights, keep, usesDisplay = false }: StreamOptions = {},
): Promise<StreamContext> {
  const paths = pathsOf(config);
  const web = await recordedUser(paths.webDir);
  const user = await recordedUser(join(paths.profilesDir, id));
  await (await MemoryGroups.find(instanceName(config)))?.join(id);
  const text = readSpecText(paths.specsDir, id, web);
  if (usesDisplay) await joinDisplay(user.uid);
  else leaveSharedMemory();
  becomeUser(user, { processes: isRoot() ? MAX_PROCESSES : null, mayGainRights }, keep);
  const spec = parseSpec(text);
  const slot = slotPaths(paths, spec.display);
  const env = {
    ...plainEnv(config, paths, user, slot.homeDir),
    DISPLAY: `:${spec.display}`,
    XAUTHORITY: slot.xauthority,
    XDG_RUNTIME_DIR: slot.pulseDir,
    PULSE_SERVER: `unix:${pulseSocket(slot.pulseDir)}`,
    ...busVariables(),
  };
  return { config, paths, env, id, spec, slot, user };
}

/** Becomes a stream's PulseAudio. */
export async function audio(config: Config, id: StreamId): Promise<never> {
  const { slot, env } = await streamContext(config, id);
  return execve(audioCommand(slot.pulseDir), env);
}

/** Becomes the media server, nginx with the RTMP module. */
export async function media(config: Config): Promise<never> {
  killNginx(pathsOf(config).mediaDir);
  const { paths, env } = await sharedContext(config, ({ mediaDir }) => mediaDir);
  const settings = join(paths.configDir, "nginx.conf");
  return execve(
    ["/usr/sbin/nginx", "-e", "stderr", "-p", paths.mediaDir, "-c", settings],
    env,
  );
}

/** Becomes the front door: nginx, which passes what it lets in to the web app. */
export async function front(config: Config): Promise<never> {
  const paths = pathsOf(config);
  killNginx(paths.frontDir);
  // nginx takes no socket's place that a killed one has left
  await removeTree(frontSocket(paths));
  const settings = join(paths.configDir, "front.conf");
  const command = ["/usr/sbin/nginx", "-e", "stderr", "-p", paths.frontDir, "-c", settings];
  if (needsRoot(config)) {
    Deno.chdir(paths.frontDir);
    const user = await recordedUser(paths.frontDir);
    return execve(commandWithLowPorts(user, command), plainEnv(config, paths, user, paths.frontDir));
  }
  const { env } = await sharedContext(config, ({ frontDir }) => frontDir);
  return execve(command, env);
}

/** Becomes the VNC proxy, websockify. */
export async function vncProxy(config: Config): Promise<never> {
  const { paths, env } = await sharedContext(config, ({ vncProxyDir }) => vncProxyDir);
  // the token goes in the Host header, because websockify would write one in the address to its log
  const tokens = ["--host-token", "--token-plugin", "TokenFile", "--token-source", paths.tokensFile];
  // a proxy that was killed leaves children, which have its port for as long as somebody watches
  killByCommand(paths.runDir, "/usr/bin/websockify");
  const address = `127.0.0.1:${config.VNC_PROXY_PORT}`;
  const web = ["--web", "/usr/share/novnc", "--heartbeat", "30"];
  return execve(["/usr/bin/websockify", ...web, ...tokens, address], env);
}

/** Becomes a stream's Xvnc. */
export async function display(config: Config, id: StreamId): Promise<never> {
  const { paths, spec, slot, env } = await streamContext(config, id);
  return execve(displayCommand(spec, vncSocket(paths, id), slot.xauthority), env);
}

/** Becomes a stream's openbox. */
export async function windowManager(config: Config, id: StreamId): Promise<never> {
  const { paths, spec, env } = await streamContext(config, id);
  await waitForDisplay(spec.display);
  const settings = join(paths.configDir, "openbox.xml");
  return execve(["/usr/bin/openbox", "--sm-disable", "--config-file", settings], env);
}

/**
 * Makes new pipes to a browser that starts, so that nothing of an earlier one is in them. Their folder is root's: neither
 * the web app nor the stream's user can put something else there.
 */
async function makePipes(paths: Paths, id: StreamId): Promise<void> {
  const web = await recordedUser(paths.webDir);
  const { gid } = await recordedUser(join(paths.profilesDir, id));
  for (const path of Object.values(browserPipes(paths, id))) {
    await removeTree(path);
    await makeFifo(path, 0o600);
    await giveTo({ uid: web.uid, gid }, path);
    if (isRoot()) await Deno.chmod(path, 0o660);
  }
}

/** Milliseconds that a browser waits for its sound server: one that fails must not keep the picture away. */
const SOUND_MS = 3000;

/** Becomes a stream's Chromium, once its display is there. The web app opens its page. */
export async function browser(config: Config, id: StreamId): Promise<never> {
  await makePipes(pathsOf(config), id);
  // no other program may gain rights, and this one only where its sandbox is made by a setuid program
  const mayGainRights = config.CHROMIUM_SANDBOX === "setuid";
  const { paths, spec, slot, env } = await streamContext(config, id, {
    mayGainRights,
    usesDisplay: true,
  });
  const bus = startBus(busCommand(join(paths.configDir, "bus.xml"), slot.busSocket), env);
  const profile = join(paths.profilesDir, id);
  await prepareFolders(profile, slot.tempDir);
  await writeProfileSettings(profile, spec.stream);
  await waitForDisplay(spec.display);
  await setRefreshRate(spec, run, env);
  if (!await waitForSound(slot.pulseDir, SOUND_MS)) console.error("the sound server does not answer");
  const sandbox = config.CHROMIUM_SANDBOX !== "off";
  const { url, loginOrigins } = spec.stream;
  const urls = [url, ...parseOrigins(loginOrigins) ?? []];
  const reach = await findReach(urls, thisNetwork, config.ALLOW_LOCAL_STREAMS);
  const command = browserCommand(spec, profile, sandbox, reach);
  const { input, output } = browserPipes(paths, id);
  const browserEnv = {
    ...env,
    ...busVariables(await bus ?? undefined),
    PULSE_SINK: SINK,
    TMPDIR: slot.tempDir,
    // dumps of pages that crash go with the temporary files: they are in memory, and nobody reads them
    BREAKPAD_DUMP_LOCATION: slot.tempDir,
  };
  return execve(command, browserEnv, { pipes: [input, output] });
}

/** Milliseconds that an encoder waits for the sound server: a silent channel is better than none. */
const SILENT_MS = 10_000;

/** Becomes a stream's ffmpeg, `delay` seconds after the stream's start. */
export async function encoder(config: Config, id: StreamId): Promise<never> {
  const secret = await readPublishSecret(pathsOf(config).publishSecretFile); // only root, or we, can
  // the channel's folder is the media server's: nobody else may put anything there
  const keep = await recordedUser(pathsOf(config).mediaDir);
  const { paths, spec, slot, env, user } = await streamContext(config, id, { keep, usesDisplay: true });
  const wait = spec.startedAt + spec.stream.delay * 1000 - Date.now();
  await sleep(Math.max(0, Math.min(wait, spec.stream.delay * 1000)));
  await waitForDisplay(spec.display);
  const hasSink = spec.stream.audio && await waitForSound(slot.pulseDir, SILENT_MS);
  if (spec.stream.audio && !hasSink) {
    console.error("the sound server does not answer: this stream is silent until the encoder is restarted");
  }
  actAs(keep, () => seedSequence(paths.hlsDir, id, Date.now(), targetDuration(spec.stream)));
  forgetKept(user);
  const preset = join(slot.homeDir, `${id}.ffpreset`);
  await writePublishPreset(preset, id, publishKey(secret, id));
  const pictures = await findPictures(config, spec);
  const surroundings = { hasSink, rtmpPort: config.RTMP_PORT, preset, pictures, now: Date.now() };
  return execve(encoderCommand(spec, surroundings), env);
}

/** Milliseconds that an encoder waits for the capture program, which may just be starting, or hang. */
const CAPTURE_MS = 10_000;

/** The socket with the display's pictures; null where ffmpeg has to grab the display itself. */
async function findPictures(config: Config, { stream, display }: StreamSpec): Promise<string | null> {
  if (config.CAPTURE === "x11grab") {
    console.error("ffmpeg takes every picture itself, as CAPTURE says");
    return null;
  }
  const folder = picturesFolder(pathsOf(config), display);
  const wanted = { output: parseSize(stream.scale), fps: stream.fps, gop: gopFrames(stream) };
  try {
    await askForPictures(folder, wanted, CAPTURE_MS);
    console.error("pictures are taken of what changes");
    return videoSocket(folder);
  } catch (error) {
    console.error(`ffmpeg takes every picture itself, as others cannot be had: ${errorText(error)}`);
    return null;
  }
}

/** Does a helper's work until it is told to end, and then ends at once, whatever it waits for. */
async function untilTerminated(work: (signal: AbortSignal) => Promise<void>): Promise<never> {
  const terminated = new AbortController();
  const told = new Promise<void>((done) => terminated.signal.addEventListener("abort", () => done()));
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    Deno.addSignalListener(name, () => terminated.abort());
  }
  await Promise.race([work(terminated.signal), told]);
  Deno.exit(0);
}

/** Whether somebody is in the stream's browser by VNC. */
async function isTakenOver(paths: Paths, id: StreamId): Promise<boolean> {
  return await clientsOf(vncSocket(paths, id)) > 0;
}

/** Films the displays for their encoders, until it is stopped: it stays a Deno process. */
export async function capture(config: Config, { root }: SelfCommand): Promise<never> {
  // before it gives up its rights: root alone may be able to reach it
  const pixels = await compilePixels(join(root, "wasm", "pixels.bin"));
  const { paths } = await sharedContext(config, ({ captureDir }) => captureDir);
  Deno.umask(0o077);
  const parts = {
    foldersDir: paths.picturesDir,
    keyFile: (display: number) => captureKey(paths, display),
    pixels,
  };
  return await untilTerminated(async (signal) => {
    using _life = await giveSignOfLife(paths.captureDir);
    await runCapture(parts, signal);
  });
}

// The two helpers talk to their browser themselves, so they stay Deno processes.

/** Reloads a stream's page at its interval until it is stopped. */
export async function autoreload(config: Config, id: StreamId): Promise<never> {
  const { paths, spec, slot } = await streamContext(config, id);
  const { autoReloadInterval: minutes, whileBroken } = spec.stream;
  const reloads = {
    browser: browserAt(hubSocket(paths, id)),
    minutes,
    openCover: async () => await Cover.open(displaySocket(spec.display), await readCookie(slot.xauthority)),
    isTakenOver: () => isTakenOver(paths, id),
    showsBroken: whileBroken === "page",
  };
  return await untilTerminated((signal) => autoReload(reloads, signal));
}

/** Logs in on a stream's page whenever it asks for it, until it is stopped. */
export async function autologin(config: Config, id: StreamId): Promise<never> {
  const { paths, spec: { stream } } = await streamContext(config, id);
  const login = {
    ...stream,
    browser: browserAt(hubSocket(paths, id)),
    isTakenOver: () => isTakenOver(paths, id),
    report: printReport,
    limits: config.TIMINGS.signIn,
  };
  return await untilTerminated((signal) => autoLogin(login, signal));
}
