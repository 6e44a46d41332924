/**
 * A stream's Chromium with the service's own command line, on a display of its own, without the service. Names lead to
 * servers of the test, so that pages of other machines can be played.
 */
import { join } from "node:path";
import type { Browser } from "../../lib/browser/client.ts";
import { browserAt } from "../../lib/browser/hub_socket.ts";
import { browserCommand } from "../../lib/live/programs/commands/browser.ts";
import { keepFrontSound } from "../../lib/browser/front_sound.ts";
import { SINK } from "../../lib/live/programs/commands/spec.ts";
import { WITHOUT_WEBRTC } from "../../lib/reach/without_webrtc.ts";
import type { WayOut } from "../../lib/reach/way_out.ts";
import { findReach } from "../../lib/reach/browser_flags.ts";
import { makeFifo } from "../../lib/machine/os/fifo.ts";
import { aStream, tempDir } from "./fixture.ts";
import type { HubPaths } from "./hub_worker.ts";
import { until, waitForPrograms } from "./same.ts";

waitForPrograms();

/** Where a name leads, and how near Chromium takes that for: nothing said, it is this machine. */
export interface Place {
  port: number;
  space?: "public" | "local";
}

const isFolder = (path: string) => Deno.stat(path).then((info) => info.isDirectory, () => false);

export interface LoneBrowser extends AsyncDisposable {
  control: Browser;
  display: string;
  pid: number;
  /** Ends it as nothing else does. */
  kill(): void;
  /** Ends what `control` reaches it by, which says goodbye to nobody; and has another take its place. */
  killHub(): void;
  restartHub(): Promise<void>;
}

async function startHub(paths: HubPaths): Promise<Worker> {
  const worker = new Worker(new URL("hub_worker.ts", import.meta.url), { type: "module" });
  const isListening = new Promise((done) => worker.onmessage = done);
  worker.postMessage(paths);
  await isListening;
  return worker;
}

/**
 * @param names by name; a name may have several ports. @param url of the stream. @param way how it goes out.
 * @param isWebRtcTaken whether pages have no WebRTC, as where there are no rules of the kernel. @param sound the
 * address of the sound server that the browser plays to; null: nobody hears it.
 */
export async function loneBrowser(
  url: string,
  names: Record<string, Place[]>,
  way: WayOut | null = null,
  isWebRtcTaken = false,
  sound: string | null = null,
): Promise<LoneBrowser> {
  const dir = await tempDir();
  const profile = join(dir.path, "profile");
  await Deno.mkdir(profile, { mode: 0o700 });
  const socket = join(dir.path, "vnc.sock");
  // the display's number is Xvnc's choice
  const size = ["-geometry", "1280x720", "-depth", "24"];
  const rfb = ["-rfbport", "-1", "-rfbunixpath", socket, "-SecurityTypes", "None", "-nolisten", "tcp"];
  const xvnc = new Deno.Command("Xvnc", {
    args: ["-displayfd", "1", ...size, ...rfb],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = xvnc.stdout.getReader();
  const display = `:${new TextDecoder().decode((await reader.read()).value).trim()}`;

  const network = {
    hostname: "wall",
    ownAddresses: () => ["127.0.0.1", "::1"],
    ownNetworks: () => [],
    resolve: () => Promise.resolve([]),
  };
  const reach = await findReach([url], network, false, null, way);
  const spec = { stream: aStream({ url, audio: sound !== null }), display: 1, startedAt: 0 };
  const rules = Object.entries(names).flatMap(([name, places]) =>
    places.map(({ port }) => `MAP ${name}:${port} 127.0.0.1:${port}`)
  );
  const spaces = Object.values(names).flat().flatMap(({ port, space }) =>
    space ? [`127.0.0.1:${port}=${space}`] : []
  );
  const withoutWebRtc = isWebRtcTaken ? join(dir.path, "without-webrtc") : null;
  if (withoutWebRtc !== null) {
    await Deno.mkdir(withoutWebRtc);
    for (const [name, text] of Object.entries(WITHOUT_WEBRTC)) {
      await Deno.writeTextFile(join(withoutWebRtc, name), text);
    }
  }
  const none = join(dir.path, "no-policies");
  await Deno.mkdir(none);
  const frontSound = join(dir.path, "front-sound");
  await keepFrontSound(frontSound);
  const command = browserCommand(spec, profile, false, reach, undefined, frontSound, withoutWebRtc);
  const [program, ...args] = command.map((word) =>
    word.replace("--host-resolver-rules=", `$&${rules.join(", ")}, `)
      .replace("--ip-address-space-overrides=", `$&${spaces.map((space) => `${space},`).join("")}`)
  );
  const pipes = { input: join(dir.path, "in"), output: join(dir.path, "out") };
  for (const path of Object.values(pipes)) await makeFifo(path, 0o600);
  const withPipes = 'exec 3<>"$1" 4<>"$2"; shift 2; exec "$@"';
  // the policies of another service of this machine may let no extension in
  const noPolicies = [
    "/usr/bin/unshare",
    "--mount",
    "/bin/sh",
    "-c",
    'mount --bind "$0" /etc/chromium; exec "$@"',
    none,
  ];
  const alone = Deno.uid() === 0 && await isFolder("/etc/chromium") ? noPolicies : [];
  const browser = new Deno.Command("/bin/sh", {
    args: ["-c", withPipes, "sh", pipes.input, pipes.output, ...alone, program, ...args],
    env: {
      DISPLAY: display,
      HOME: dir.path,
      TMPDIR: dir.path,
      DBUS_SESSION_BUS_ADDRESS: "disabled:",
      ...(sound === null ? {} : { PULSE_SERVER: sound, PULSE_SINK: SINK }),
    },
    stdout: "null",
    stderr: "null",
  }).spawn();
  const hub: HubPaths = { ...pipes, socket: join(dir.path, "hub"), note: join(dir.path, "note") };
  let worker = await startHub(hub);
  const control = browserAt(hub.socket);
  let isKilled = false;
  const kill = () => {
    isKilled = true;
    browser.kill("SIGKILL");
  };
  const stop = async () => {
    if (!isKilled) browser.kill("SIGTERM");
    await browser.status;
    worker.terminate();
    xvnc.kill("SIGTERM");
    await xvnc.status;
    await reader.cancel();
    await dir[Symbol.asyncDispose]();
  };
  try {
    await until("the browser to answer", async () => {
      await using page = await control.connectFirst().catch(() => undefined);
      return page !== undefined;
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    control,
    display,
    pid: browser.pid,
    kill,
    killHub: () => worker.terminate(),
    restartHub: async () => void (worker = await startHub(hub)),
    [Symbol.asyncDispose]: stop,
  };
}

/** Serves what a file's tests show, before their browser is started; what it gives to the stack goes after that. */
export type Serve = (after: AsyncDisposableStack) => Promise<Record<string, Place[]>>;

const served: Serve[] = [];
let shared: LoneBrowser | undefined;

/**
 * The one browser of all files that run in this process, one test after the other: a start takes some three seconds of a
 * processor. It is there as soon as the tests begin. @param serve gives the file's own names. @returns a look at it.
 */
export function sharedBrowser(serve: Serve): () => LoneBrowser {
  if (served.length === 0) {
    const after = new AsyncDisposableStack();
    Deno.test.beforeAll(async () => {
      const names: Record<string, Place[]> = {};
      for (const one of served) {
        for (const [name, places] of Object.entries(await one(after))) (names[name] ??= []).push(...places);
      }
      shared = after.use(await loneBrowser("http://wall.test/", names));
    });
    Deno.test.afterAll(() => after.disposeAsync());
  }
  served.push(serve);
  return () => shared!;
}

/** The part of a display's pixels that have not a colour: 0 to 1. @param xauthority the key to it, if it has one. */
export async function otherPixels(
  display: string,
  rgb: readonly number[],
  xauthority?: string,
): Promise<number> {
  const { stdout } = await new Deno.Command("ffmpeg", {
    args: [
      ...[
        "-loglevel",
        "error",
        "-f",
        "x11grab",
        "-draw_mouse",
        "0",
        "-video_size",
        "1280x720",
        "-i",
        display,
      ],
      ...["-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
    ],
    env: xauthority === undefined ? {} : { XAUTHORITY: xauthority },
    stderr: "null",
  }).output();
  let others = 0;
  for (let at = 0; at < stdout.length; at += 3) {
    if (rgb.some((value, channel) => Math.abs(stdout[at + channel] - value) > 24)) others++;
  }
  return others / (stdout.length / 3);
}
