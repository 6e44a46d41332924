/** Other people's players, without a screen: what they would show and play goes into files. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { readOrNull } from "../../lib/machine/os/files.ts";
import { findUser } from "../../lib/machine/os/users.ts";
import { frames, isColour, lastSounds, pixel, type Sound } from "./media.ts";
import { PAGE_COLOUR } from "./channel.ts";
import { pause } from "./within.ts";
import { openSoundPipe } from "./sound_pipe.ts";

/**
 * Of the channels that players are tested with: few, since this machine paints, encodes and plays at once. Players keep
 * one frame a second.
 */
export const CHANNEL_FPS = 10;
/** Milliseconds for a player to close its files. */
const CLOSE_MS = 5000;
const COLLECT_MS = 500;
const KEPT_OUTPUT = 4000;

interface Keeping {
  /** Of so many pictures one is kept. */
  every: number;
  /** For hours: pictures are small, of all but the last the times alone are kept, and of VLC's sound as well. */
  isLong: boolean;
}

const SMALL = { width: 320, height: 180 };

interface Kind {
  program: string;
  args(folder: string, url: string, keeping: Keeping): string[];
}

/** A filter of FFmpeg's. */
function kept({ every, isLong }: Keeping): string {
  return `framestep=${every}${isLong ? `,scale=${SMALL.width}:${SMALL.height}` : ""}`;
}

export const PLAYERS = {
  ffmpeg: {
    program: "/usr/bin/ffmpeg",
    args: (folder, url, keeping) => [
      ...["-v", "warning", "-nostdin", "-i", url, "-map", "0:a"],
      ...(keeping.isLong ? ["-f", "null", "-"] : [join(folder, "sound.wav")]),
      ...["-map", "0:v", "-vf", kept(keeping), "-fps_mode", "passthrough", join(folder, "%05d.png")],
    ],
  },
  mpv: {
    program: "/usr/bin/mpv",
    args: (folder, url, keeping) => [
      ...["--no-config", "--no-terminal", `--log-file=${join(folder, "log")}`],
      ...[
        "--vo=image",
        "--vo-image-format=png",
        "--vo-image-png-compression=1",
        `--vo-image-outdir=${folder}`,
        `--vf=lavfi=[${kept(keeping)}]`,
      ],
      // into a file it would be played as fast as it comes, without a clock for the picture to follow
      ...["--ao=null", url],
    ],
  },
  VLC: {
    program: "/usr/bin/vlc",
    args: (folder, url, { every, isLong }) => [
      ...["--intf", "dummy", "--no-color", "--verbose", "1"],
      ...["--vout", "dummy", "--video-filter", "scene", "--scene-format", "png", "--scene-path", folder],
      ...["--scene-prefix", "picture", "--scene-ratio", String(every)],
      ...(isLong ? [`--scene-width=${SMALL.width}`, `--scene-height=${SMALL.height}`] : []),
      ...["--aout", "afile", "--audiofile-file", join(folder, "sound.wav")],
      ...(isLong ? ["--no-audiofile-wav"] : []),
      url,
    ],
  },
} satisfies Record<string, Kind>;

export type PlayerName = keyof typeof PLAYERS;

export interface Picture {
  file: string;
  /** Unix time in milliseconds. */
  at: number;
}

export interface Playing extends AsyncDisposable {
  /** The pictures so far, in order; the last may not be complete while it runs. */
  pictures: Picture[];
  /** When it played sound, if it is VLC and plays for long: it shows a picture again when there is no new one. */
  soundTimes: { at: number }[];
  /** Ends it. @throws when it had ended by itself. */
  stop(): Promise<void>;
  /** The last seconds of its sound, one by one; of a player that was stopped and writes them into a file. */
  lastSounds(seconds: number): Promise<Sound[]>;
  /** What it said of itself. */
  log(): Promise<string>;
}

/** One picture a second of the test page's channel. */
const EACH_SECOND: Keeping = { every: CHANNEL_FPS, isLong: false };

/** Starts a player, as a user who may do nothing else. */
export async function startPlayer(
  name: PlayerName,
  url: string,
  keeping: Keeping = EACH_SECOND,
): Promise<Playing> {
  const { program, args }: Kind = PLAYERS[name];
  const user = (await findUser("nobody"))!; // VLC refuses to run as root
  const folder = await Deno.makeTempDir({ prefix: `browser-stream-${name.toLowerCase()}-` });
  if (Deno.uid() === 0) await Deno.chown(folder, user.uid, user.gid);
  const sound = name === "VLC" && keeping.isLong ? await openSoundPipe(join(folder, "sound.wav")) : null;
  const child = new Deno.Command(program, {
    args: args(folder, url, keeping),
    cwd: "/",
    clearEnv: true,
    env: { HOME: folder, XDG_RUNTIME_DIR: folder, PATH: "/usr/bin:/bin", LANG: "C.UTF-8" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    ...(Deno.uid() === 0 ? { uid: user.uid, gid: user.gid } : {}),
  }).spawn();
  let output = "";
  const read = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      output = (output + text).slice(-KEPT_OUTPUT);
    }
  })();
  let hasEnded = false;
  child.status.then(() => hasEnded = true);

  // at once, since VLC starts to count again when its picture does, and would replace the first ones
  const pictures: Picture[] = [];
  const keptFolder = join(folder, "kept");
  await Deno.mkdir(keptFolder);
  let isCollecting = true;
  const collecting = (async () => {
    while (isCollecting) {
      await pause(COLLECT_MS);
      const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
      for (const name of names.filter((name) => name.endsWith(".png")).sort()) {
        const file = join(keptFolder, keeping.isLong ? "last.png" : `${pictures.length}.png`);
        await Deno.rename(join(folder, name), file);
        pictures.push({ file, at: (await Deno.stat(file)).mtime!.getTime() });
      }
    }
  })();

  async function end(): Promise<void> {
    if (!hasEnded) child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), CLOSE_MS);
    await child.status;
    clearTimeout(timer);
    await read;
    if (isCollecting) await sound?.end();
    isCollecting = false;
    await collecting;
  }

  return {
    pictures,
    soundTimes: sound?.times ?? [],
    async stop() {
      assert.ok(!hasEnded, `${name} ended by itself: ${output}`);
      await end();
    },
    lastSounds: (seconds) => lastSounds(join(folder, "sound.wav"), seconds),
    log: async () => output + (await readOrNull(join(folder, "log")) ?? ""),
    async [Symbol.asyncDispose]() {
      await end();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** VLC's scene filter converts by BT.601, whatever the stream says: only in these files, not on a screen. */
const PAGE_COLOUR_IN_BT601 = [193, 9, 94];

/** The colour of what moves on the test page, in a player's picture. @throws if it does not show the page. */
export async function movingIn(player: PlayerName, { file }: Picture): Promise<number[]> {
  const [frame] = await frames(file, 1280, 720, 1);
  assert.ok(frame, `${file} is no picture`);
  const plain = pixel(frame, 1100, 600);
  assert.ok(isColour(plain, player === "VLC" ? PAGE_COLOUR_IN_BT601 : PAGE_COLOUR), `not the page: ${plain}`);
  return pixel(frame, 320, 150);
}
