/** What a display shows over time, as viewers would see it. */

export interface Grab extends AsyncDisposable {
  /** Ends it; the pictures so far, each as the colours that it has, such as "0,160,0". Repeated ones are left out. */
  end(): Promise<string[]>;
}

/** Grabs the middle of a display of 1280x720, 25 times a second. @param xauthority the key to it, if it has one. */
export async function grab(display: string, xauthority?: string): Promise<Grab> {
  const SIDE = 8;
  const child = new Deno.Command("ffmpeg", {
    args: [
      ...["-loglevel", "error", "-nostdin", "-f", "x11grab", "-draw_mouse", "0", "-framerate", "25"],
      ...["-video_size", "640x360", "-i", `${display}.0+320,180`, "-vf", `scale=${SIDE}:${SIDE}:flags=area`],
      ...["-f", "rawvideo", "-pix_fmt", "rgb24", "-flush_packets", "1", "-"],
    ],
    env: xauthority === undefined ? {} : { XAUTHORITY: xauthority },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const first = await reader.read();
  if (first.value) parts.push(first.value);
  const reading = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value);
  })();
  const stop = async () => {
    try {
      child.kill("SIGTERM");
    } catch {
      // it has ended
    }
    await reading;
    await child.status;
  };
  return {
    end: async () => {
      await stop();
      const bytes = await new Blob(parts).bytes();
      const frame = SIDE * SIDE * 3;
      const pictures: string[] = [];
      for (let at = 0; at + frame <= bytes.length; at += frame) {
        const colours = new Set<string>();
        for (let pixel = at; pixel < at + frame; pixel += 3) {
          colours.add(
            [...bytes.subarray(pixel, pixel + 3)].map((value) => Math.round(value / 16) * 16).join(),
          );
        }
        const picture = [...colours].sort().join(" ");
        if (picture !== pictures.at(-1)) pictures.push(picture);
      }
      return pictures;
    },
    [Symbol.asyncDispose]: stop,
  };
}
