/** `browser ID`: a stream's browser. */
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { browserPipes, type Paths, pathsOf } from "../../paths.ts";
import { waitForSound } from "../../live/programs/commands/audio.ts";
import { browserCommand, prepareFolders } from "../../live/programs/commands/browser.ts";
import { busCommand, busVariables, startBus } from "../../live/programs/commands/bus.ts";
import { setRefreshRate, waitForDisplay } from "../../display/display.ts";
import { writeProfileSettings } from "../../browser/profile_settings.ts";
import { readExtensions } from "../../browser/extensions.ts";
import { NOWHERE } from "../../reach/packet_rules.ts";
import { forgetServiceWorkers } from "../../reach/without_webrtc.ts";
import { parseSpec, SINK } from "../../live/programs/commands/spec.ts";
import { extensionNames } from "../../model/extensions.ts";
import type { StreamId } from "../../model/id.ts";
import { execve, isRoot } from "../../machine/os/exec.ts";
import { makeFifo } from "../../machine/os/fifo.ts";
import { giveTo, removeTree } from "../../machine/os/files.ts";
import { run } from "../../machine/os/process.ts";
import { arePoliciesThere } from "../../machine/os/promises.ts";
import { recordedUser } from "../../machine/os/users.ts";
import { streamContext } from "./context.ts";
import { placeOfPush, reachOf, restrict } from "./restrict.ts";

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
    console.error(`the extension "${name}" is missing`);
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
    asRoot: async (text, user, { packetFilter, policies }) => {
      const spec = parseSpec(text);
      known.reach = await reachOf(config, spec.stream);
      known.isFiltered = packetFilter;
      if (packetFilter) await restrict(config, user, known.reach, await placeOfPush(config, spec));
      if (policies && !await arePoliciesThere(policies)) {
        throw new Error(
          `Chromium's policies are not in ${policies.files.at(-1)} as the start has put them there`,
        );
      }
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
  const withoutWebRtc = known.isFiltered || spec.stream.webRtc ? null : paths.withoutWebRtcDir;
  if (withoutWebRtc !== null) await forgetServiceWorkers(profile);
  const command = browserCommand(
    spec,
    profile,
    sandbox,
    known.reach,
    extensions,
    paths.frontSoundDir,
    withoutWebRtc,
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
