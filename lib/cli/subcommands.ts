/** The supervised programs as subcommands: each prepares its ground, then hands its process over. */
import { join } from "node:path";
import type { Config } from "../config.ts";
import { audioCommand, ensureSink, pulseSocket } from "../pipeline/audio.ts";
import { browserCommand, prepareFolders } from "../pipeline/browser.ts";
import { type Channel, sinkName, startedChannel } from "../pipeline/spec.ts";
import { displayCommand, setRefreshRate, waitForDisplay } from "../pipeline/display.ts";
import { encoderCommand } from "../pipeline/encoder.ts";
import { seedSequence } from "../media/hls.ts";
import { type Places, placesOf } from "../paths.ts";
import { becomeUser, handOver, type Identity } from "../system/exec.ts";
import { killMarked, MARK } from "../system/orphans.ts";
import { run } from "../system/process.ts";
import { pipelineUser } from "../system/users.ts";

interface Ground {
  config: Config;
  places: Places;
  env: Record<string, string>;
}

/** The whole environment of a program of the pipeline: no variable of the service, so no secret. */
function pipelineEnv(config: Config, places: Places, user: Identity): Record<string, string> {
  return {
    [MARK]: places.runDir,
    HOME: places.homeDir,
    XAUTHORITY: places.xauthority,
    USER: user.name,
    LOGNAME: user.name,
    PATH: "/usr/local/bin:/usr/bin:/bin",
    LANG: "C.UTF-8",
    XDG_RUNTIME_DIR: places.pulseDir,
    PULSE_SERVER: `unix:${pulseSocket(places.pulseDir)}`,
    DBUS_SESSION_BUS_ADDRESS: "disabled:",
    DBUS_SYSTEM_BUS_ADDRESS: "disabled:",
    ...(config.TZ ? { TZ: config.TZ } : {}),
  };
}

async function unprivileged(config: Config): Promise<Ground> {
  const places = placesOf(config);
  const user = await pipelineUser(config.PIPELINE_USER);
  becomeUser(user);
  return { config, places, env: pipelineEnv(config, places, user) };
}

async function channelGround(config: Config, id: string): Promise<Ground & { channel: Channel }> {
  const channel = await startedChannel(placesOf(config).specsDir, id);
  const ground = await unprivileged(config);
  return { ...ground, channel, env: { ...ground.env, DISPLAY: `:${channel.display}` } };
}

export async function audio(config: Config): Promise<never> {
  const { places, env } = await unprivileged(config);
  return handOver(audioCommand(places.pulseDir), env);
}

export async function media(config: Config): Promise<never> {
  const { places, env } = await unprivileged(config);
  const settings = join(places.configDir, "nginx.conf");
  return handOver(
    ["/usr/sbin/nginx", "-e", "stderr", "-p", places.mediaDir, "-c", settings],
    env,
  );
}

export async function vncProxy(config: Config): Promise<never> {
  const { places, env } = await unprivileged(config);
  // in the Host header: of a token in the address websockify would write every use to its log
  const tokens = ["--host-token", "--token-plugin", "TokenFile", "--token-source", places.tokensFile];
  // of a proxy that was killed: they would keep the port for as long as somebody watches
  killMarked(places.runDir, "/usr/bin/websockify");
  const address = `127.0.0.1:${config.VNC_PROXY_PORT}`;
  const web = ["--web", "/usr/share/novnc", "--heartbeat", "30"];
  return handOver(["/usr/bin/websockify", ...web, ...tokens, address], env);
}

export async function display(config: Config, id: string): Promise<never> {
  const { places, channel, env } = await channelGround(config, id);
  return handOver(displayCommand(channel, join(places.vncDir, `${id}.sock`), places.xauthority), env);
}

export async function windowManager(config: Config, id: string): Promise<never> {
  const { places, channel, env } = await channelGround(config, id);
  await waitForDisplay(channel.display);
  const settings = join(places.configDir, "openbox.xml");
  return handOver(["/usr/bin/openbox", "--sm-disable", "--config-file", settings], env);
}

export async function browser(config: Config, id: string): Promise<never> {
  const { places, channel, env } = await channelGround(config, id);
  const profile = join(places.profilesDir, id);
  // by the display, as an id would make the path of Chromium's socket there too long
  const temporary = join(places.tempDir, String(channel.display));
  await prepareFolders(profile, temporary);
  await waitForDisplay(channel.display);
  await setRefreshRate(channel, run, env);
  await ensureSink(run, places.pulseDir, id);
  const sandbox = config.CHROMIUM_SANDBOX !== "off";
  const command = browserCommand(channel, profile, sandbox);
  return handOver(command, { ...env, PULSE_SINK: sinkName(id), TMPDIR: temporary });
}

/** The sink, also while the audio server is being restarted; after 10 s silence is better than no picture. */
async function ensureSinkPatiently(pulseDir: string, id: string): Promise<boolean> {
  for (const end = Date.now() + 10_000; Date.now() < end;) {
    if (await ensureSink(run, pulseDir, id)) return true;
    await new Promise((done) => setTimeout(done, 300));
  }
  console.error("the audio server does not answer: this channel is silent until the encoder is restarted");
  return false;
}

export async function encoder(config: Config, id: string): Promise<never> {
  const { places, channel, env } = await channelGround(config, id);
  const wait = channel.startedAt + channel.stream.delay * 1000 - Date.now();
  if (wait > 0) await new Promise((done) => setTimeout(done, Math.min(wait, channel.stream.delay * 1000)));
  await waitForDisplay(channel.display);
  const hasSink = channel.stream.audio && await ensureSinkPatiently(places.pulseDir, id);
  await seedSequence(places.hlsDir, id);
  return handOver(encoderCommand(channel, hasSink, config.RTMP_PORT, Date.now()), env);
}
