/** The sound of a stream's browser, recorded by ffmpeg from the sound server that its encoder records. */
import { strict as assert } from "node:assert";
import { openPage } from "../../../lib/browser/open_page.ts";
import { untilSilentBehind } from "../../../lib/live/page/open_behind.ts";
import { muteCommand } from "../../../lib/live/programs/commands/audio.ts";
import { SINK } from "../../../lib/live/programs/commands/spec.ts";
import { type LoneBrowser, loneBrowser } from "../../support/lone_browser.ts";
import { until } from "../../support/same.ts";
import { type SoundServer, startSoundServer } from "../../support/sound_output.ts";

/** Half a second of 880 Hz. */
const WAV = `(() => {
  const rate = 8000, bytes = new DataView(new ArrayBuffer(44 + rate));
  const text = (at, word) => [...word].forEach((letter, i) => bytes.setUint8(at + i, letter.charCodeAt(0)));
  text(0, "RIFF"); bytes.setUint32(4, 36 + rate, true); text(8, "WAVEfmt "); bytes.setUint32(16, 16, true);
  bytes.setUint16(20, 1, true); bytes.setUint16(22, 1, true); bytes.setUint32(24, rate, true);
  bytes.setUint32(28, rate * 2, true); bytes.setUint16(32, 2, true); bytes.setUint16(34, 16, true);
  text(36, "data"); bytes.setUint32(40, rate, true);
  for (let i = 0; i < rate / 2; i++) bytes.setInt16(44 + i * 2, 9000 * Math.sin(i * 880 * 2 * Math.PI / rate), true);
  return URL.createObjectURL(new Blob([bytes], { type: "audio/wav" }));
})()`;

const TONE = `const context = new AudioContext(), tone = context.createOscillator();
  tone.frequency.value = 880; tone.connect(context.destination); tone.start();`;

const element = (name: string) =>
  `const made = document.createElement("${name}"); made.loop = true; made.src = ${WAV};
  document.body.append(made); made.play();`;

/** The ways by which a page makes sound. */
const WAYS: Record<string, string> = {
  "Web Audio": `<script>${TONE}</script>`,
  "a script's buffer": `<script>
    const context = new AudioContext(), source = context.createBufferSource();
    source.buffer = context.createBuffer(1, 800, 8000);
    source.buffer.getChannelData(0).forEach((_, at, all) => all[at] = Math.sin(at) / 3);
    source.loop = true; source.connect(context.destination); source.start();
  </script>`,
  "an audio": `<script>${element("audio")}</script>`,
  "a video": `<script>${element("video")}</script>`,
  "an audio without a place":
    `<script>const made = new Audio(${WAV}); made.loop = true; made.play();</script>`,
  "a frame of another site": `<iframe src="http://other.test:PORT/?way=an audio" allow="autoplay"></iframe>`,
};

let port = 0;
let sound: SoundServer;
let browser: LoneBrowser;
const after = new AsyncDisposableStack();
Deno.test.beforeAll(async () => {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const way = new URL(request.url).searchParams.get("way") ?? "";
    const body = (WAYS[way] ?? "").replace("PORT", `${port}`);
    return new Response(`<!doctype html><body>${way}${body}`, { headers: { "content-type": "text/html" } });
  });
  after.defer(() => server.shutdown());
  port = server.addr.port;
  sound = after.use(await startSoundServer());
  const place = [{ port, space: "public" as const }];
  const names = { "wall.test": place, "other.test": place };
  browser = after.use(await loneBrowser("http://wall.test/", names, null, false, sound.address));
});
Deno.test.afterAll(() => after.disposeAsync());

/** What is recorded just now: as loud as this, in decibels; -91 is silence. */
async function loudness(): Promise<number> {
  const input = ["-f", "pulse", "-i", `${SINK}.monitor`, "-t", "0.4"];
  const { stderr } = await new Deno.Command("ffmpeg", {
    args: ["-nostdin", "-hide_banner", ...input, "-af", "volumedetect", "-f", "null", "-"],
    env: { PULSE_SERVER: sound.address },
    stdout: "null",
  }).output();
  return Number(/max_volume: (-?[\d.]+) dB/.exec(new TextDecoder().decode(stderr))?.[1]);
}

const SILENCE = -91;

Deno.test("a page whose sound is taken from the channel is not recorded until it is given back", async () => {
  const { control } = browser;
  const [tab] = await control.pages();
  await using page = await control.connect(tab);
  await openPage(page, `http://wall.test:${port}/?way=Web%20Audio`);
  await until("the page to be heard", async () => await loudness() > -40);
  const set = async (isMuted: boolean) => {
    const [program, ...args] = muteCommand(sound.folder, isMuted);
    assert.ok((await new Deno.Command(program, { args, stdout: "null", stderr: "null" }).output()).success);
  };
  await set(true);
  await until("silence", async () => await loudness() === SILENCE);
  await set(false);
  await until("the page to be heard again", async () => await loudness() > -40);
});

Deno.test("of a browser's pages the one in front alone is heard, whatever it makes sound by, and at once", async () => {
  const { control } = browser;
  const url = (way: string) => `http://wall.test:${port}/?way=${encodeURIComponent(way)}`;
  const [quiet] = await control.pages();
  {
    await using page = await control.connect(quiet);
    await openPage(page, url("nothing"));
  }
  const wrong: string[] = [];
  for (const way of Object.keys(WAYS)) {
    const tab = await control.openTab(true);
    await untilSilentBehind(control);
    await using page = await control.connect(tab);
    await openPage(page, url(way), { isBehind: true });
    const plays = `document.readyState === "complete" && performance.now() > 1000`;
    await until(`${way} to play`, async () => {
      const behind = await loudness();
      if (behind !== SILENCE) wrong.push(`${way}: heard from behind, ${behind} dB`);
      return await page.evaluate<boolean>(plays).catch(() => false);
    });
    await control.showTab(tab.id);
    await until(`${way} to be heard`, async () => await loudness() > -40);
    await control.showTab(quiet.id);
    await until(`${way} to be silent`, async () => await loudness() === SILENCE);
    await control.closeTab(tab.id);
  }
  assert.deepEqual(wrong, []);
});
