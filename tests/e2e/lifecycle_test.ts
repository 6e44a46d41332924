/** What is asked of a stream happens to its programs, and to nobody else's. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { parseConfig } from "../../lib/config.ts";
import type { Target } from "../../lib/browser/client.ts";
import { errorText } from "../../lib/machine/tools/log.ts";
import { MemoryGroups } from "../../lib/machine/os/memory_group.ts";
import { allPids } from "../../lib/machine/os/process_table.ts";
import { instanceName } from "../../lib/paths.ts";
import { playlistUrl, showsPage, untilPageShown } from "../support/channel.ts";
import { isThere } from "../support/fixture.ts";
import { LiveRules } from "../support/live_rules.ts";
import { PLACE, SEEN, serveLooks } from "../support/look_pages.ts";
import { fetchPlaylist, frames } from "../support/media.ts";
import { commandLine, niceness } from "../support/proc.ts";
import { RemoteBrowser } from "../support/remote_browser.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { inSoak } from "../support/soak.ts";
import { same, until } from "../support/same.ts";
import { tellTime } from "../support/times.ts";

// figures that are asked for twice are measured twice
const serviceTest = sharedService({
  timings: { figuresMs: 500 },
  files: {
    "extensions/tint/manifest.json": JSON.stringify({
      manifest_version: 3,
      name: "Tint",
      version: "1.0",
      content_scripts: [{ matches: ["<all_urls>"], css: ["tint.css"] }],
    }),
    "extensions/tint/tint.css": "html { color: rgb(1, 2, 3) !important }",
  },
});

/** Light for the machine. */
const SMALL = { fps: 5, scale: "640x360" };

/** The pids of a stream's programs, by name. */
async function pidsOf(service: TestService, id: string): Promise<Record<string, number>> {
  const { programs } = await service.status(id);
  return Object.fromEntries(programs.filter(({ pid }) => pid).map(({ name, pid }) => [name, pid]));
}

/** The folders of the kernel's memory groups of a stream that a process is in: one, where groups can be written. */
async function memoryGroups(service: TestService, pid: number, id: string): Promise<string[]> {
  const text = await Deno.readTextFile(`/proc/${pid}/cgroup`);
  const found = [...text.matchAll(/^\d+:(memory)?:(\/.+)$/gm)]
    .filter(([, , path]) => path.endsWith(`/${id}`))
    .map(([, kind = "", path]) => join("/sys/fs/cgroup", kind, path));
  const isWritten = await MemoryGroups.find(instanceName(parseConfig(service.env))) !== null;
  assert.equal(found.length, isWritten ? 1 : 0, text);
  return found;
}

/** The words of a program's command line; Chromium rewrites its own with blanks. */
async function commandOf(service: TestService, name: string): Promise<string[]> {
  return commandLine(await service.programPid(name)).split(" ");
}

/** Streams that all tests may use, running. */
async function running(service: TestService, names: readonly string[]): Promise<void> {
  // silent: the media server waits for sound, and breaks a segment where a full machine makes it wait for long
  const fields = { ...SMALL, audio: false };
  await Promise.all(names.map((name) => service.sharedStream({ name, ...fields })));
  await service.settled();
}

const twoStreams = (service: TestService) => running(service, ["A", "B"]);
/** For what needs no other beside it. */
const streamB = (service: TestService) => running(service, ["B"]);

async function change(service: TestService, id: string, fields: Record<string, unknown>): Promise<void> {
  assert.equal((await service.api("PATCH", `/api/streams/${id}`, fields)).status, 200);
}

inSoak(serviceTest)("a browser has one renderer: its page's, and none of Chromium's own", async (service) => {
  await twoStreams(service);
  const owner = `--user-data-dir=${join(service.dataDir, "profiles/a")}`;
  const renderers = () =>
    allPids().map(commandLine).filter((line) => line.includes("--type=renderer ") && line.includes(owner));
  await until("the page alone", () => renderers().length === 1);
  assert.doesNotMatch(renderers()[0], /top-chrome/);
});

/** Chromium asks for a battery as well, and no setting keeps it from saying that nobody has one. */
const BATTERY = /GetAll: object_path= \/org\/freedesktop\/UPower\/devices\/DisplayDevice: .*ServiceUnknown/;

inSoak(serviceTest)("a browser that works complains of no D-Bus, fonts or sound", async (service) => {
  await twoStreams(service);
  await until("the page", () => service.pageRequests.length > 0);
  const log = await Deno.readTextFile(join(service.dataDir, "logs/a/browser.log"));
  const lines = log.split("\n").filter((line) => /d-?bus|fontconfig|pulse|alsa|vulkan|gcm/i.test(line));
  assert.deepEqual(lines.filter((line) => !BATTERY.test(line)), []);
  assert.ok(lines.length <= 1, lines.join("\n"));
});

serviceTest("where processors are short, a browser gives way, and nobody else does", async (service) => {
  await streamB(service);
  const usual = niceness(service.pid);
  assert.equal(niceness(await service.programPid("browser-b")), Math.min(19, usual + 5));
  for (const pid of [await service.programPid("encoder-b"), ...service.processes(/ (capture|serve|up)$/)]) {
    assert.equal(niceness(pid), usual, commandLine(pid));
  }
});

serviceTest("a change restarts only the programs that need it", async (service) => {
  await streamB(service);
  const before = await pidsOf(service, "b");
  await change(service, "b", { name: "Bee" });
  assert.deepEqual(await pidsOf(service, "b"), before, "a new name restarts nothing");
  await change(service, "b", { bitrate: "900k" });
  const after = await pidsOf(service, "b");
  assert.deepEqual([after["browser-b"], after["display-b"]], [before["browser-b"], before["display-b"]]);
  assert.notEqual(after["encoder-b"], before["encoder-b"]);
  // it runs while it is not ffmpeg yet
  await until(
    "the new encoder",
    async () => (await commandOf(service, "encoder-b")).includes("900k"),
  );
});

serviceTest("starts of a running stream change nothing", async (service) => {
  await streamB(service);
  const before = await pidsOf(service, "b");
  const answers = await Promise.all([1, 2, 3].map(() => service.api("POST", "/api/streams/b/start")));
  assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200]);
  assert.deepEqual(await pidsOf(service, "b"), before);
});

inSoak(serviceTest)(
  "a stream that runs only while watched starts behind a slate, and ends after its last viewer",
  async (service) => {
    const fields = { name: "Rare", onDemand: true, onDemandMinutes: 0.1 };
    await using stream = await service.temporaryStream(fields);
    assert.deepEqual([(await service.status("rare")).state, await pidsOf(service, "rare")], ["waiting", {}]);
    const url = playlistUrl(service, stream.id);
    const rules = new LiveRules();
    const from = performance.now();
    let slateMs = 0, pictureMs = 0;
    await until("the page", async () => {
      const answer = await fetch(url);
      if (!answer.ok) {
        const events = await (await service.api("GET", "/api/streams/rare/events")).text();
        const atMs = Math.round(performance.now() - from);
        throw new Error(`${answer.status} after ${atMs} ms; ${events}\n${service.output().slice(-2000)}`);
      }
      const added = rules.add(await answer.bytes(), performance.now())?.added ?? [];
      // the newest: an old one may be gone before a busy machine has decoded those before it
      for (const { uri } of added.slice(-1)) {
        const { href } = new URL(uri, url);
        assert.equal((await (await fetch(href)).bytes())[0], 0x47);
        // what a viewer waits for: our own decoding of it comes after
        const gotMs = performance.now() - from;
        const [frame] = await frames(href, 1280, 720, 1);
        const isSlate = uri.startsWith("slate-");
        if (isSlate && slateMs === 0) slateMs = gotMs;
        if (!isSlate && showsPage(frame)) pictureMs = performance.now() - from;
        if (isSlate) assert.ok(!showsPage(frame));
      }
      return pictureMs > 0;
    });
    assert.deepEqual(rules.problems, []);
    // on a machine that has time it is less than a second (docs/performance.md); tests run side by side
    tellTime("a slate for the first viewer", slateMs / 1000, 3);
    const { segments } = rules.newest!;
    const [own, last] = [segments.find(({ uri }) => !uri.startsWith("slate-"))!, segments[0]];
    assert.ok(own.discontinuity > last.discontinuity || own === last);
    await service.untilState(stream.id, "waiting");
    await until(
      "the end of its programs",
      async () => Object.keys(await pidsOf(service, stream.id)).length === 0,
    );
  },
);

inSoak(serviceTest)(
  "a page looks as its stream's settings say, also after a reload and in another tab",
  async (service) => {
    await using pages = serveLooks();
    await using stream = await service.temporaryStream({
      name: "Looks",
      url: pages.url,
      ...SMALL,
      audio: false,
      zoom: 150,
      colorScheme: "dark",
      language: "de-DE, en",
      timeZone: "Asia/Tokyo",
      userAgent: "Wall/1.0",
      hideBanners: true,
      hideSelectors: ".ad\n:no-such(",
      css: "body { background: #123456 }",
      extensions: "tint",
      js:
        `var ofTheScript = 1; document.documentElement.dataset.script = typeof ofThePage; throw new Error("mistake 7");`,
      extraHeaders: "X-Wall-Key: k3y",
      extraCookies: "wall=c00kie",
    });
    const browser = new RemoteBrowser(service, stream.id);
    const expected = {
      zoom: 1.5,
      banner: "none",
      ad: "none",
      colour: "rgb(18, 52, 86)",
      script: "undefined",
      ofTheScript: "undefined",
      agent: "Wall/1.0",
      languages: "de-DE,en",
      number: "1,5",
      zone: "Asia/Tokyo",
      isDark: true,
      cookie: "wall=c00kie",
    };
    const seen = async () => {
      // a failure says where the browser is instead
      const look = () => browser.evaluate(SEEN).catch(() => browser.evaluate(PLACE)).catch(errorText);
      await same(look, expected);
    };
    await service.untilState(stream.id, "running");
    await seen();
    const ink = "getComputedStyle(document.documentElement).color";
    assert.equal(await browser.evaluate(ink), "rgb(1, 2, 3)", "the extension's");
    const copy = Deno.statSync(join(service.dataDir, "config/extensions/tint/tint.css"));
    assert.deepEqual([copy.uid, copy.mode! & 0o777], [Deno.uid(), 0o644], "nobody else writes it");
    await browser.evaluate("void location.reload()");
    await seen();
    const [tab] = await browser.control.pages();
    await browser.control.closeTab(tab.id);
    let tabs: Target[] = [];
    await until("another tab or browser", async () => {
      const [now] = tabs = await browser.control.pages().catch(() => []);
      return now && now.id !== tab.id && now.url === pages.url;
    }).catch(async (error) => {
      const { state, page } = await service.status(stream.id);
      assert.fail(`${error.message}: ${JSON.stringify({ before: tab, tabs, state, page })}`);
    });
    await seen();

    assert.ok(pages.own.length > 0);
    for (const headers of pages.own) {
      const { "x-wall-key": key, cookie = "wall=c00kie", "user-agent": agent } = Object.fromEntries(headers);
      assert.deepEqual([key, cookie, agent], ["k3y", "wall=c00kie", "Wall/1.0"]);
      assert.match(headers.get("accept-language") ?? "", /^de-DE/);
    }
    let texts = "";
    // the page's console is asked at the next look at it
    await until("the page's errors among the events", async () => {
      const { events } = await (await service.api("GET", `/api/streams/${stream.id}/events`)).json();
      texts = events.map(({ text }: { text: string }) => text).join("\n");
      return /The stream's script: Error: mistake 7/.test(texts) &&
        /":no-such\(" is not a CSS selector/.test(texts);
    }).catch((error) => assert.fail(`${error.message}: ${texts}`));
    const shown = await (await service.api("GET", `/api/streams/${stream.id}`)).text();
    assert.ok(!/k3y|c00kie/.test(shown) && /"extraHeadersSet":true/.test(shown));
  },
);

serviceTest(
  "recreate begins with an empty profile, and the stream is on air again; delete leaves nothing of it",
  async (service) => {
    await service.create({ name: "Anew", ...SMALL, fps: 10, audio: false });
    await untilPageShown(service, "anew", 0);
    const before = await pidsOf(service, "anew");
    const marker = join(service.dataDir, "profiles/anew/Default/Login-of-yesterday");
    await Deno.writeTextFile(marker, "x");
    assert.equal((await service.api("POST", "/api/streams/anew/recreate")).status, 202);
    await until("the empty profile", async () => !await isThere(marker));
    await untilPageShown(service, "anew", 0);
    assert.ok(await isThere(join(marker, "..")), "a new profile");
    for (const [name, pid] of Object.entries(await pidsOf(service, "anew"))) {
      assert.notEqual(pid, before[name], name);
    }

    const traces = ["config/streams/anew.conf", "profiles/anew", "logs/anew"]
      .map((path) => join(service.dataDir, path))
      .concat(["hls/live/anew", "streams/anew.json", "vnc/anew"].map((path) => join(service.runDir, path)))
      .concat(await memoryGroups(service, await service.programPid("encoder-anew"), "anew"));
    for (const trace of traces) assert.ok(await isThere(trace), trace);
    const tokens = () => Deno.readTextFile(join(service.runDir, "tokens/vnc"));
    assert.match(await tokens(), /^[0-9a-f]{32}: unix_socket:.*\/anew\/rfb$/m);
    assert.equal((await service.api("DELETE", "/api/streams/anew")).status, 204);
    for (const trace of traces) assert.ok(!await isThere(trace), trace);
    assert.ok(!(await tokens()).includes("/anew/rfb"));
    assert.equal((await service.api("GET", "/api/streams/anew")).status, 404);
    assert.equal(await fetchPlaylist(playlistUrl(service, "anew")), null);
  },
);
