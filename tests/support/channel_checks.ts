/** What has to hold for a channel, whichever way the program is run: from the bundle, or compiled. */
import { strict as assert } from "node:assert";
import { processesOfRun } from "../../lib/system/orphans.ts";
import { run } from "../../lib/system/process.ts";
import { isMoving, PAGE_COLOUR, playlistUrl, showsPage, untilPageShown } from "./channel.ts";
import { fetchPlaylist, frames, isColour, pixel, probe, sound } from "./media.ts";
import { type Options, pause, startService, until } from "./service.ts";

/** Starts a service, makes a channel and checks it as players see it. */
export async function checkChannel(t: Deno.TestContext, options: Options): Promise<void> {
  const service = await startService(options);
  try {
    const asked = performance.now();
    const stream = await service.create({ name: "Grafana – Übersicht" });
    const url = playlistUrl(service, stream.id);

    await t.step("the id is the slug of the name, the rest has defaults", () => {
      assert.equal(stream.id, "grafana-ubersicht");
      assert.equal(stream.fps, 25);
      assert.equal(stream.desiredState, "running");
    });

    await t.step("the first segment is there within delay + 6 s", async () => {
      await until("a playable segment", 6000 - (performance.now() - asked), async () => {
        const playlist = await fetchPlaylist(url);
        return playlist && playlist.segments.length > 0;
      });
    });
    await untilPageShown(service, stream.id, 0, 15_000);

    for (const address of [url, `${service.mediaUrl}/live/${stream.id}/index.m3u8`]) {
      await t.step(
        `ffprobe: H.264 yuv420p 1280x720 25 fps and AAC 48 kHz (${new URL(address).pathname})`,
        async () => {
          const { streams } = await probe(address);
          const video = streams.find(({ codec_type }) => codec_type === "video")!;
          const audio = streams.find(({ codec_type }) => codec_type === "audio")!;
          assert.equal(video.codec_name, "h264");
          assert.equal(video.pix_fmt, "yuv420p");
          assert.deepEqual([video.width, video.height], [1280, 720]);
          assert.equal(video.r_frame_rate, "25/1");
          assert.ok(Number(video.level) <= 41, `level ${video.level}`);
          assert.equal(audio.codec_name, "aac");
          assert.equal(audio.sample_rate, "48000");
          assert.equal(audio.channels as unknown, 2);
        },
      );
    }

    await t.step("the picture is the page's: its colour at a known place, moving", async () => {
      const seen = await frames(url, 1280, 720, 30);
      assert.equal(seen.length, 30);
      assert.ok(showsPage(seen[0]), `colour ${pixel(seen[0], 1100, 600)}`);
      assert.ok(isMoving(seen[0], seen[9]), "frames do not differ");
      // the very last pixel: no black line at the edges
      assert.ok(isColour(pixel(seen[0], 1279, 719), PAGE_COLOUR), `corner ${pixel(seen[0], 1279, 719)}`);
    });

    await t.step(
      "target duration is constant, the sequence never goes back, six segments are listed",
      async () => {
        const seen = new Set<number>();
        let last = 0;
        for (const end = Date.now() + 8000; Date.now() < end;) {
          const playlist = await fetchPlaylist(url);
          assert.ok(playlist && playlist.sequence >= last);
          last = playlist.sequence;
          seen.add(playlist.targetDuration);
          await pause(250);
        }
        assert.deepEqual([...seen], [1]);
        const playlist = (await fetchPlaylist(url))!;
        assert.ok(playlist.segments.length >= 6, `${playlist.segments.length} segments`);
        for (const { duration } of playlist.segments) assert.ok(Math.round(duration) <= 1, `${duration} s`);
      },
    );

    await t.step("the page's tone of 440 Hz is heard", async () => {
      const { rms, frequency } = await sound(url, 3);
      assert.ok(rms > 0.05, `rms ${rms}`);
      assert.ok(Math.abs(frequency - 440) < 15, `${frequency} Hz`);
    });

    await t.step("the proxy passes on what players and caches need", async () => {
      const playlist = await fetch(url);
      assert.equal(playlist.headers.get("cache-control"), "no-cache, no-store");
      assert.match(playlist.headers.get("content-type")!, /mpegurl/);
      const text = await playlist.text();
      const segment = new URL(text.trim().split("\n").at(-1)!, url);
      const part = await fetch(segment, { headers: { range: "bytes=0-187" } });
      assert.equal(part.status, 206);
      assert.equal(part.headers.get("cache-control"), "max-age=300, immutable");
      assert.equal(part.headers.get("content-length"), "188");
      assert.match(part.headers.get("content-range")!, /^bytes 0-187\//);
      assert.equal((await part.bytes())[0], 0x47, "MPEG-TS sync byte");
    });

    await t.step("statuses say running, the password is never sent", async () => {
      await until("state running", 5000, async () => (await service.status(stream.id)).state === "running");
      const changed = await service.api("PATCH", `/api/streams/${stream.id}`, { pass: "hunter2secret" });
      const text = await changed.text();
      assert.equal(changed.status, 200);
      assert.ok(!text.includes("hunter2secret"));
      assert.equal(JSON.parse(text).passSet, true);
      assert.ok(!service.output().includes("hunter2secret"));
      assert.equal((await Deno.stat(`${service.dataDir}/streams/streams.json`)).mode! & 0o777, 0o600);
    });

    await t.step("nothing of the pipeline runs as root, and Chromium has its sandbox", async () => {
      // a program that is just starting is ours, and gives root up before it does anything
      let asRoot: string[] = [];
      await until("all to have given up root", 2000, () => {
        const commands = processesOfRun(service.runDir).filter(isRoot).map(commandLine);
        asRoot = commands.filter((command) => !/ serve *$|supervisord/.test(command));
        return Deno.uid() !== 0 || asRoot.length === 0;
      }).catch((error) => assert.fail(`${error.message}: ${asRoot.join("; ")}`));
      const all = processesOfRun(service.runDir).map(commandLine).join("\n");
      assert.ok(!all.includes("hunter2secret"), "the password is in the process list");
      const browser = await service.programPid(`browser-${stream.id}`);
      assert.ok(!(await Deno.readTextFile(`/proc/${browser}/cmdline`)).includes("--no-sandbox"));
      const encoder = await service.programPid(`encoder-${stream.id}`);
      const environment = await Deno.readTextFile(`/proc/${encoder}/environ`);
      assert.ok(!environment.includes("DATA_DIR="), "the service's environment leaks");
    });

    await t.step("another user of the machine cannot use the display", async () => {
      if (Deno.uid() !== 0) return;
      const display =
        (await Deno.readTextFile(`/proc/${await service.programPid(`display-${stream.id}`)}/cmdline`))
          .split("\0")[1];
      const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];
      const { code } = await run([...asNobody, "xrandr", "-d", display], { timeout: 5000 });
      assert.notEqual(code, 0);
    });
  } finally {
    const took = await service.stop();
    assert.ok(took < 10_000, `the stop took ${took} ms`);
  }
}

function isRoot(pid: number): boolean {
  try {
    return /^Uid:.*\s0\s/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false; // it has ended
  }
}

function commandLine(pid: number): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
  } catch {
    return "";
  }
}
