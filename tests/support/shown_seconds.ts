/** The past of a page that tells its own time (tests/fixtures/seconds.html), as the API gives it. */
import assert from "node:assert/strict";
import { secondOf } from "./past.ts";
import type { Reachable } from "./service.ts";

export interface Span {
  /** Unix time in s. */
  from: number;
  to: number;
  /** Why nothing was kept after it. */
  reason?: string;
}

/** The spans of which there is a past. */
export async function spansOf({ api }: Reachable, id: string): Promise<Span[]> {
  const answer = await api("GET", `/api/streams/${id}/rewind`);
  assert.equal(answer.status, 200);
  const spans: { start: string; duration: number; reason?: string }[] = await answer.json();
  return spans.map(({ start, duration, reason }) => {
    const from = Date.parse(start) / 1000;
    return { from, to: from + duration, reason };
  });
}

/** The second that the page showed at a second, by ffmpeg; null: nothing was kept. */
export async function shownAt({ api }: Reachable, id: string, second: number): Promise<number | null> {
  const answer = await api("GET", `/api/streams/${id}/rewind/picture.jpg?at=${second}`);
  if (answer.status === 404) return null;
  assert.equal(answer.status, 200, `${await answer.clone().text()}`.slice(0, 200));
  assert.equal(answer.headers.get("content-type"), "image/jpeg");
  const size = { width: 640, height: 360 };
  const scaled = ["-vf", `scale=${size.width}:${size.height}`, "-f", "rawvideo", "-pix_fmt", "gray", "-"];
  const decoder = new Deno.Command("ffmpeg", {
    args: ["-v", "error", "-i", "-", ...scaled],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const picture = await answer.bytes();
  const writer = decoder.stdin.getWriter();
  await writer.write(picture);
  await writer.close();
  const { stdout, stderr } = await decoder.output();
  const said = `${picture.length} bytes: ${new TextDecoder().decode(stderr).slice(0, 300)}`;
  assert.equal(stdout.length, size.width * size.height, said);
  return secondOf(stdout, size.width, size);
}
