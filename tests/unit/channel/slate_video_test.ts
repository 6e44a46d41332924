import { strict as assert } from "node:assert";
import { slateCommand, slateSubtitles } from "../../../lib/channel/slate_video.ts";

const look = { name: "Lobby", scale: "1280x720" };

Deno.test("a slate is as large as its channel, and encoded as channels are", () => {
  const command = slateCommand(look, "slate.ass").join(" ");
  for (
    const part of ["s=1280x720", "-profile:v main", "-bf 0", "-ar 48000 -ac 2", "yuv420p", "ass=slate.ass"]
  ) {
    assert.ok(command.includes(part), part);
  }
});

Deno.test("a name is shown as it is, whatever it means to subtitles", () => {
  const text = (name: string) =>
    slateSubtitles({ ...look, name }).split("\n").find((line) => line.startsWith("Dialogue:"))!;
  assert.match(text("Київ, 東京"), /,Київ, 東京\\N/);
  assert.match(text("{\\b1}x"), /,\\\{\\\u2060b1\\\}x\\N/);
});
