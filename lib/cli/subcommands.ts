/** The supervised programs as subcommands: each prepares what its program needs, then becomes it. */
import { join } from "node:path";
import type { Config } from "../config.ts";
import { autoLogin } from "../devtools/autologin.ts";
import { autoReload } from "../devtools/autoreload.ts";
import { openFirstPage } from "../devtools/open_page.ts";
import { needsRoot } from "../front/config.ts";
import type { StreamId } from "../streams/id.ts";
import { audioCommand, ensureSink, pulseSocket } from "../pipeline/audio.ts";
import { browserCommand, prepareFolders } from "../pipeline/browser.ts";
import { findReach } from "../pipeline/reach_flags.ts";
import { readStartedSpec, sinkName, type StreamSpec } from "../pipeline/spec.ts";
import { displayCommand, setRefreshRate, waitForDisplay } from "../pipeline/display.ts";
import { encoderCommand } from "../pipeline/encoder.ts";
import { seedSequence } from "../media/hls.ts";
import { publishKey, readPublishSecret, writePublishPreset } from "../media/publish.ts";
import { thisNetwork } from "../net/this_network.ts";
import { parseOrigins } from "../streams/login_origins.ts";
import { type Paths, pathsOf } from "../paths.ts";
import { dropPrivileges, execve, type Identity } from "../system/exec.ts";
import { killByCommand, RUN_MARKER } from "../system/orphans.ts";
import { run } from "../system/process.ts";
import { sleep } from "../system/time.ts";
import { pipelineUser } from "../system/users.ts";
import type { SelfCommand } from "./self.ts";

/** What the subcommands make their command lines from. */
interface ExecContext {
  config: Config;
  paths: Paths;
  env: Record<string, string>;
}

/** The whole environment of a program of the pipeline: no variable of the service, so no secret. */
function pipelineEnv(config: Config, paths: Paths, user: Identity): Record<string, string> {
  return {
    [RUN_MARKER]: paths.runDir,
    HOME: paths.homeDir,
    XAUTHORITY: paths.xauthority,
    USER: user.name,
    LOGNAME: user.name,
    PATH: "/usr/local/bin:/usr/bin:/bin",
    LANG: "C.UTF-8",
    XDG_RUNTIME_DIR: paths.pulseDir,
    PULSE_SERVER: `unix:${pulseSocket(paths.pulseDir)}`,
    DBUS_SESSION_BUS_ADDRESS: "disabled:",
    DBUS_SYSTEM_BUS_ADDRESS: "disabled:",
    ...(config.TZ ? { TZ: config.TZ } : {}),
  };
}

async function unprivileged(config: Config): Promise<ExecContext> {
  const paths = pathsOf(config);
  const user = await pipelineUser(config.PIPELINE_USER);
  dropPrivileges(user);
  return { config, paths, env: pipelineEnv(config, paths, user) };
}

async function specContext(config: Config, id: StreamId): Promise<ExecContext & { spec: StreamSpec }> {
  const spec = await readStartedSpec(pathsOf(config).specsDir, id);
  const context = await unprivileged(config);
  return { ...context, spec, env: { ...context.env, DISPLAY: `:${spec.display}` } };
}

/** Becomes PulseAudio, with one sink for each stream. */
export async function audio(config: Config): Promise<never> {
  const { paths, env } = await unprivileged(config);
  return execve(audioCommand(paths.pulseDir), env);
}

/** Becomes the media server, nginx with the RTMP module. */
export async function media(config: Config): Promise<never> {
  const { paths, env } = await unprivileged(config);
  const settings = join(paths.configDir, "nginx.conf");
  return execve(
    ["/usr/sbin/nginx", "-e", "stderr", "-p", paths.mediaDir, "-c", settings],
    env,
  );
}

/** Becomes the front door: nginx, which passes what it lets in to the web app. */
export async function front(config: Config): Promise<never> {
  const paths = pathsOf(config);
  const user = await pipelineUser(config.PIPELINE_USER);
  if (!needsRoot(config)) dropPrivileges(user);
  const settings = join(paths.configDir, "front.conf");
  const command = ["/usr/sbin/nginx", "-e", "stderr", "-p", paths.frontDir, "-c", settings];
  return execve(command, pipelineEnv(config, paths, user));
}

/** Becomes the VNC proxy, websockify. */
export async function vncProxy(config: Config): Promise<never> {
  const { paths, env } = await unprivileged(config);
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
  const { paths, spec, env } = await specContext(config, id);
  return execve(displayCommand(spec, join(paths.vncDir, `${id}.sock`), paths.xauthority), env);
}

/** Becomes a stream's openbox. */
export async function windowManager(config: Config, id: StreamId): Promise<never> {
  const { paths, spec, env } = await specContext(config, id);
  await waitForDisplay(spec.display);
  const settings = join(paths.configDir, "openbox.xml");
  return execve(["/usr/bin/openbox", "--sm-disable", "--config-file", settings], env);
}

/** Becomes a stream's Chromium, once its display is there. */
export async function browser(config: Config, id: StreamId, self: SelfCommand): Promise<never> {
  // before this process gives up its rights: the other one has to read the stream's settings, too
  await startOpener(self, id);
  const { paths, spec, env } = await specContext(config, id);
  const profile = join(paths.profilesDir, id);
  // by the display, as an id would make the path of Chromium's socket there too long
  const temporary = join(paths.tempDir, String(spec.display));
  await prepareFolders(profile, temporary);
  await waitForDisplay(spec.display);
  await setRefreshRate(spec, run, env);
  await ensureSink(run, paths.pulseDir, id);
  const sandbox = config.CHROMIUM_SANDBOX !== "off";
  const { url, loginOrigins } = spec.stream;
  const urls = [url, ...parseOrigins(loginOrigins) ?? []];
  const reach = await findReach(urls, thisNetwork, config.ALLOW_LOCAL_STREAMS);
  const command = browserCommand(spec, profile, sandbox, reach);
  return execve(command, { ...env, PULSE_SINK: sinkName(id), TMPDIR: temporary });
}

/** Lets a process of its own open the page, once the browser that this one becomes is there. */
async function startOpener({ executable }: SelfCommand, id: StreamId): Promise<void> {
  // forked twice, since the browser would never ask for its end
  const args = ["--fork", ...executable, "open-page", id, String(Deno.pid)];
  const command = new Deno.Command("setsid", { args, stdin: "null", stdout: "inherit", stderr: "inherit" });
  const { success } = await command.output();
  if (!success) throw new Error("the page's opener could not be started");
}

/** Opens a stream's page in the browser that a process is, or becomes; and ends. */
export async function openPage(config: Config, id: StreamId, browserPid: number): Promise<never> {
  const { paths, spec } = await specContext(config, id);
  const isWanted = () => Deno.stat(`/proc/${browserPid}`).then(() => true, () => false);
  await openFirstPage(join(paths.profilesDir, id), spec.stream.url, isWanted);
  Deno.exit(0);
}

/** Waits for the sink while the audio server restarts. Gives up after 10 s, since a silent channel is better than none. */
async function waitForSink(pulseDir: string, id: StreamId): Promise<boolean> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline;) {
    if (await ensureSink(run, pulseDir, id)) return true;
    await sleep(300);
  }
  console.error("the audio server does not answer: this stream is silent until the encoder is restarted");
  return false;
}

/** Becomes a stream's ffmpeg, `delay` seconds after the stream's start. */
export async function encoder(config: Config, id: StreamId): Promise<never> {
  const secret = await readPublishSecret(pathsOf(config).publishSecretFile); // only root, or we, can
  const { paths, spec, env } = await specContext(config, id);
  const wait = spec.startedAt + spec.stream.delay * 1000 - Date.now();
  await sleep(Math.min(wait, spec.stream.delay * 1000));
  await waitForDisplay(spec.display);
  const hasSink = spec.stream.audio && await waitForSink(paths.pulseDir, id);
  await seedSequence(paths.hlsDir, id);
  const preset = join(paths.homeDir, `${id}.ffpreset`);
  await writePublishPreset(preset, id, publishKey(secret, id));
  return execve(encoderCommand(spec, { hasSink, rtmpPort: config.RTMP_PORT, preset, now: Date.now() }), env);
}

/** Aborts on SIGTERM, so that nothing waits for its sleep to end. */
function untilTerminated(): AbortSignal {
  const terminated = new AbortController();
  Deno.addSignalListener("SIGTERM", () => terminated.abort());
  Deno.addSignalListener("SIGINT", () => terminated.abort());
  return terminated.signal;
}

// The two helpers talk to DevTools themselves, so they stay Deno processes.

/** Reloads a stream's page at its interval until it is stopped. */
export async function autoreload(config: Config, id: StreamId): Promise<never> {
  const { paths, spec: { stream } } = await specContext(config, id);
  await autoReload(join(paths.profilesDir, id), stream.autoReloadInterval, untilTerminated());
  Deno.exit(0);
}

/** Fills in the login form of a stream's page, and ends. */
export async function autologin(config: Config, id: StreamId): Promise<never> {
  const { paths, spec: { stream } } = await specContext(config, id);
  const profile = join(paths.profilesDir, id);
  console.log(await autoLogin({ profile, ...stream }, untilTerminated()));
  Deno.exit(0);
}
