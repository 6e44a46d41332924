/** Other people's players, without a screen: what they would show and play goes into files. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { pipelineUser } from "../lib/system/users.ts";
import { frames, isColour, pixel, sound } from "./media.ts";
import { PAGE_COLOUR } from "./channel.ts";

/** Frames between two pictures that are kept: one a second. */
const EVERY = 25;
/** Milliseconds for a player to close its files. */
const CLOSE_MS = 5000;
const KEPT_OUTPUT = 4000;

interface Kind {
  program: string;
  args(folder: string, url: string): string[];
}

export const PLAYERS = {
  ffmpeg: {
    program: "/usr/bin/ffmpeg",
    args: (folder, url) => [
      ...["-v", "warning", "-nostdin", "-i", url, "-map", "0:a", join(folder, "sound.wav")],
      ...["-map", "0:v", "-vf", `framestep=${EVERY}`, "-fps_mode", "passthrough", join(folder, "%05d.png")],
    ],
  },
  mpv: {
    program: "/usr/bin/mpv",
    args: (folder, url) => [
      ...["--no-config", "--no-terminal", `--log-file=${join(folder, "log")}`],
      ...[
        "--vo=image",
        "--vo-image-format=png",
        `--vo-image-outdir=${folder}`,
        `--vf=lavfi=[framestep=${EVERY}]`,
      ],
      ...["--ao=pcm", `--ao-pcm-file=${join(folder, "sound.wav")}`, url],
    ],
  },
  VLC: {
    program: "/usr/bin/vlc",
    args: (folder, url) => [
      ...["--intf", "dummy", "--no-color", "--verbose", "1"],
      ...["--vout", "dummy", "--video-filter", "scene", "--scene-format", "png", "--scene-path", folder],
      ...["--scene-prefix", "picture", "--scene-ratio", String(EVERY)],
      ...["--aout", "afile", "--audiofile-file", join(folder, "sound.wav"), url],
    ],
  },
} satisfies Record<string, Kind>;

export interface Picture {
  file: string;
  /** Unix time in milliseconds. */
  at: number;
}

export interface Playing extends AsyncDisposable {
  /** The pictures so far, in order. */
  pictures(): Promise<Picture[]>;
  /** Ends it. @throws when it had ended by itself. */
  stop(): Promise<void>;
  /** Loudness and main frequency of the last seconds; of a player that was stopped. */
  lastSound(seconds: number): Promise<{ rms: number; frequency: number }>;
}

/** Starts a player, as a user who may do nothing else. */
export async function startPlayer(name: keyof typeof PLAYERS, url: string): Promise<Playing> {
  const { program, args }: Kind = PLAYERS[name];
  const user = await pipelineUser("browser-stream"); // VLC refuses to run as root
  const folder = await Deno.makeTempDir({ prefix: `browser-stream-${name.toLowerCase()}-` });
  if (Deno.uid() === 0) await Deno.chown(folder, user.uid, user.gid);
  const child = new Deno.Command(program, {
    args: args(folder, url),
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

  async function end(): Promise<void> {
    if (!hasEnded) child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), CLOSE_MS);
    await child.status;
    clearTimeout(timer);
    await read;
  }

  return {
    async pictures() {
      const files = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
      const found = files.filter((file) => file.endsWith(".png")).sort().map(async (file) => ({
        file: join(folder, file),
        at: (await Deno.stat(join(folder, file))).mtime!.getTime(),
      }));
      return await Promise.all(found);
    },
    async stop() {
      assert.ok(!hasEnded, `${name} ended by itself: ${output}`);
      await end();
    },
    lastSound: (seconds) => sound(join(folder, "sound.wav"), seconds, ["-sseof", `-${seconds}`]),
    async [Symbol.asyncDispose]() {
      await end();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** The test page's colour and what moves on it, in a player's picture; null if it does not show the page. */
export async function pageIn({ file }: Picture): Promise<number[] | null> {
  const [frame] = await frames(file, 1280, 720, 1);
  return frame && isColour(pixel(frame, 1100, 600), PAGE_COLOUR) ? pixel(frame, 320, 150) : null;
}
