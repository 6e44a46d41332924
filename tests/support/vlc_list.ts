/** What VLC shows as its playlist of a file, by its own text interface. */
import { join } from "node:path";
import { findUser } from "../../lib/machine/os/users.ts";
import { until } from "./same.ts";

/** VLC's list of a playlist's channels, by name, once there are so many. @param text of the playlist. */
export async function listedByVlc(text: string, count: number): Promise<string[]> {
  const user = (await findUser("nobody"))!; // VLC refuses to run as root
  const folder = await Deno.makeTempDir({ prefix: "browser-stream-vlc-list-" });
  const file = join(folder, "playlist.m3u");
  await Deno.writeTextFile(file, text);
  if (Deno.uid() === 0) { for (const path of [folder, file]) await Deno.chown(path, user.uid, user.gid); }
  const child = new Deno.Command("/usr/bin/vlc", {
    args: ["--intf", "rc", "--rc-fake-tty", "--no-color", "--vout", "dummy", "--aout", "dummy", file],
    cwd: "/",
    clearEnv: true,
    env: { HOME: folder, XDG_RUNTIME_DIR: folder, PATH: "/usr/bin:/bin", LANG: "C.UTF-8" },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    ...(Deno.uid() === 0 ? { uid: user.uid, gid: user.gid } : {}),
  }).spawn();
  let output = "";
  const read = (async () => {
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      output += part.replaceAll("\r", "");
    }
  })();
  const input = child.stdin.getWriter();
  try {
    return await until(`${count} channels in VLC's list`, async () => {
      const names = namesIn(output);
      if (names.length >= count) return names;
      output = "";
      await input.write(new TextEncoder().encode("playlist\n"));
      return null;
    });
  } finally {
    child.kill("SIGKILL");
    await Promise.allSettled([child.status, read, input.close()]);
    await Deno.remove(folder, { recursive: true });
  }
}

/** The entries of a list that has ended: "|  *8 - Name [played 1 time]". */
function namesIn(output: string): string[] {
  const [list] = /\| 1 - Playlist\n([^]*?)\| 2 - /.exec(output)?.slice(1) ?? [""];
  return [...list.matchAll(/^\|\s+\*?\d+ - (.*?)(?: \[played \d+ times?\])?$/gm)].map(([, name]) => name);
}
