import assert from "node:assert/strict";
import { displayCommand, isDisplayUp, setRefreshRate } from "../../../lib/display/display.ts";
import { aStream } from "../../support/fixture.ts";
import { logged } from "../../support/logged.ts";

const spec = {
  stream: aStream({ resolution: "1920x1080", fps: 10 }),
  display: 142,
  startedAt: 0,
};

Deno.test("the display has the stream's size, and VNC only on a private unix socket", () => {
  const argv = displayCommand(spec, "/run/vnc/clock.sock", "/run/xauthority");
  const after = (flag: string) => argv[argv.indexOf(flag) + 1];
  assert.equal(argv[1], ":142");
  assert.deepEqual(["-geometry", "-rfbport", "-rfbunixpath", "-rfbunixmode", "-nolisten"].map(after), [
    "1920x1080",
    "-1",
    "/run/vnc/clock.sock",
    "0660",
    "tcp",
  ]);
  assert.ok(argv.includes("-UseBlacklist=0"));
});

Deno.test("a display that nobody serves is not up", async () => {
  assert.equal(await isDisplayUp(59_999), false);
});

Deno.test("the refresh rate is the encoder's; a display that refuses is only a line in the log", async () => {
  const calls: string[][] = [];
  const lines = await logged(async () => {
    for (const code of [0, 1]) {
      await setRefreshRate(spec, (argv) => {
        calls.push(argv.slice(3));
        return Promise.resolve({ code, stdout: "", stderr: "xrandr: refused\n" });
      }, {});
    }
  });
  const [w, h] = ["1920", "1080"];
  assert.deepEqual(calls.slice(0, 3), [
    ["--newmode", "fps-10", "20.74", w, w, w, w, h, h, h, h],
    ["--addmode", "VNC-0", "fps-10"],
    ["--output", "VNC-0", "--mode", "fps-10"],
  ]);
  assert.deepEqual(lines, ["refresh rate of 10 Hz not set: xrandr: refused"]);
});
