/** `browser ID`: a stream's browser. */
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { localHost } from "../../net/host.ts";
import { thisNetwork } from "../../net/this_network.ts";
import { wayOutOf } from "../../net/way_out.ts";
import { browserPipes, filterTable, type Paths, pathsOf } from "../../paths.ts";
import { waitForSound } from "../../pipeline/audio.ts";
import { browserCommand, prepareFolders } from "../../pipeline/browser.ts";
import { busCommand, busVariables, startBus } from "../../pipeline/bus.ts";
import { setRefreshRate, waitForDisplay } from "../../pipeline/display.ts";
import { writeProfileSettings } from "../../pipeline/profile_settings.ts";
import { readExtensions } from "../../pipeline/extensions.ts";
import { findReach, type Reach } from "../../pipeline/reach_flags.ts";
import { NOWHERE, reachRules } from "../../pipeline/reach_rules.ts";
import { parseSpec, SINK, type StreamSpec } from "../../pipeline/spec.ts";
import { extensionNames } from "../../model/extensions.ts";
import { otherAddresses } from "../../model/plan/timetable.ts";
import { parseOrigins } from "../../model/login_origins.ts";
import type { StreamId } from "../../model/id.ts";
import { execve, type Identity, isRoot } from "../../os/exec.ts";
import { makeFifo } from "../../os/fifo.ts";
import { giveTo, removeTree } from "../../os/files.ts";
import { errorText } from "../../system/log.ts";
import { PacketFilter } from "../../os/packet_filter.ts";
import { run } from "../../os/process.ts";
import { recordedUser } from "../../os/users.ts";
import { streamContext } from "./context.ts";

/**
 * Makes new pipes to a browser that starts, without bytes of an earlier browser. The pipes' folder is root's: neither
 * the web app nor the stream's user can put another file there.
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

/** The places that a stream's page may reach. */
async function reachOf(config: Config, { stream }: StreamSpec): Promise<Reach> {
  const { loginOrigins, sites } = stream;
  const others = [loginOrigins, sites].flatMap((text) => parseOrigins(text) ?? []);
  const urls = [stream.url, ...otherAddresses(stream), ...others];
  const service = { name: localHost(config.HOST), port: config.PORT };
  const way = wayOutOf(config, stream.proxy);
  return await findReach(urls, thisNetwork, config.ALLOW_LOCAL_STREAMS, service, way);
}

/** Sets the kernel's rules for a stream's user; returns whether the kernel took the rules. */
async function restrict(config: Config, user: Identity, reach: Reach): Promise<boolean> {
  if (!isRoot()) return false;
  const rules = reachRules(reach, config.RTMP_PORT, config.REACHABLE_NETWORKS);
  try {
    await new PacketFilter(filterTable(config)).restrict(user.uid, rules);
    return true;
  } catch (error) {
    console.error(`the kernel's packet filter is not used: ${errorText(error)}`); // the start has said so, too
    return false;
  }
}

/** Milliseconds that a browser waits for its sound server: a failing sound server must not keep the picture away. */
const SOUND_MS = 3000;

/**
 * A starting browser takes all processors for seconds, a moving page for good: pictures of a page may wait a little,
 * encoders and their supervisor must not (docs/performance.md).
 */
const NICENESS = 5;

/** The chosen extensions that are there: Chromium starts without the others. */
async function presentExtensions({ extensionsDir }: Paths, chosen: string): Promise<string[]> {
  if (chosen === "") return [];
  const there = (await readExtensions(extensionsDir)).extensions.map(({ name }) => name);
  return extensionNames(chosen).filter((name) => {
    if (there.includes(name)) return true;
    console.error(`the extension "${name}" is not there`);
    return false;
  });
}

/** Becomes a stream's Chromium, once its display is there. The web app opens its page. */
export async function browser(config: Config, id: StreamId): Promise<never> {
  await makePipes(pathsOf(config), id);
  // no other program may gain rights; a browser may only where a setuid program makes its sandbox
  const mayGainRights = config.CHROMIUM_SANDBOX === "setuid";
  const known = { reach: NOWHERE, isFiltered: false };
  const { paths, spec, slot, env } = await streamContext(config, id, {
    mayGainRights,
    usesDisplay: true,
    asRoot: async (text, user) => {
      known.reach = await reachOf(config, parseSpec(text));
      known.isFiltered = await restrict(config, user, known.reach);
    },
  });
  const bus = startBus(busCommand(join(paths.configDir, "bus.xml"), slot.busSocket), env);
  const profile = join(paths.profilesDir, id);
  await prepareFolders(profile, slot.tempDir);
  await writeProfileSettings(
    profile,
    spec.stream,
    known.reach.way !== null && config.PROXY_LOGIN_FILE !== "",
  );
  await waitForDisplay(spec.display);
  await setRefreshRate(spec, run, env);
  if (!await waitForSound(slot.pulseDir, SOUND_MS)) console.error("the sound server does not answer");
  const sandbox = config.CHROMIUM_SANDBOX !== "off";
  const { timeZone } = spec.stream;
  const extensions = {
    dir: paths.extensionsDir,
    names: await presentExtensions(paths, spec.stream.extensions),
  };
  const command = browserCommand(
    spec,
    profile,
    sandbox,
    known.reach,
    extensions,
    known.isFiltered || config.WEBRTC === "whole",
  );
  const { input, output } = browserPipes(paths, id);
  const browserEnv = {
    ...env,
    ...busVariables(await bus ?? undefined),
    PULSE_SINK: SINK,
    TMPDIR: slot.tempDir,
    // dumps of crashed pages go with the temporary files: these are in memory, and the dumps have no reader
    BREAKPAD_DUMP_LOCATION: slot.tempDir,
    ...(timeZone === "" ? {} : { TZ: timeZone }),
  };
  return execve(["/usr/bin/nice", "-n", `${NICENESS}`, ...command], browserEnv, { pipes: [input, output] });
}
