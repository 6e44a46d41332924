/** What a person in a stream's browser, and the page itself, can do, and cannot. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { closeTab, DevTools, openTab, pageTargets } from "../../lib/devtools/client.ts";
import { playlistUrl } from "../support/channel.ts";
import { frames, isColour, pixel } from "../support/media.ts";
import { DisplayHand, KEY } from "../support/rfb_keys.ts";
import { pause, startService, type TestService, until } from "../support/service.ts";

/** The 30 s for the page to be back, and what this machine takes to see it. */
const BACK_MS = 45_000;
const POLICIES = "/etc/chromium/policies/managed";

interface Channel {
  id: string;
  port: number;
}

/** The DevTools port of a running stream. */
function channelOf(service: TestService, id: string): Channel {
  const file = join(service.runDir, "streams", `${id}.json`);
  return { id, port: JSON.parse(Deno.readTextFileSync(file)).devtoolsPort };
}

async function addresses({ port }: Channel): Promise<string[]> {
  return (await pageTargets(port).catch(() => [])).map(({ url }) => url);
}

async function untilOnlyPage(channel: Channel, url: string, limit = BACK_MS): Promise<void> {
  let seen: string[] = [];
  await until(`only ${url} to be open`, limit, async () => {
    seen = await addresses(channel);
    return seen.length === 1 && seen[0] === url;
  }).catch((error) => {
    throw new Error(`${error.message}; it was ${JSON.stringify(seen)}`);
  });
}

function hand(service: TestService, { id }: Channel): Promise<DisplayHand> {
  return DisplayHand.connect(join(service.runDir, "vnc", `${id}.sock`));
}

async function evaluate<Value>({ port }: Channel, expression: string): Promise<Value> {
  using page = await DevTools.connect(port);
  return await page.evaluate<Value>(expression);
}

/** A page server of its own: hostile.html, redirects, and the hostile page's reports. */
function serveHostile() {
  const reports: { what: string; got: string }[][] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const url = new URL(request.url);
    if (url.pathname === "/report") {
      reports.push(await request.json());
      return new Response("thanks");
    }
    if (url.pathname === "/download") {
      return new Response("x", { headers: { "content-disposition": "attachment; filename=taken.txt" } });
    }
    const name = url.pathname === "/hostile" ? "hostile.html" : "static.html";
    return new Response(await Deno.readTextFile(new URL(`../fixtures/${name}`, import.meta.url)), {
      headers: { "content-type": "text/html" },
    });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    reports,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/**
 * Opens an address in a tab of its own, since Chromium cuts the connection to the error page of a page of its own;
 * again when the tab was closed as one that nobody needs. @returns Chromium's error.
 */
async function navigateTab(port: number, url: string, tries = 3): Promise<string | undefined> {
  const tab = await openTab(port, "about:blank");
  try {
    using page = await DevTools.to(tab);
    return (await page.send<{ errorText?: string }>("Page.navigate", { url })).errorText;
  } catch (error) {
    if (tries <= 1) throw error;
    return await navigateTab(port, url, tries - 1);
  } finally {
    await closeTab(port, tab.id).catch(() => {});
  }
}

Deno.test("a page and a person by VNC reach web pages only, and the page comes back", async (t) => {
  const service = await startService({ env: { CHROMIUM_POLICY_DIR: POLICIES } });
  await using other = serveHostile();
  try {
    const { id } = await service.create({ name: "Wall" });
    const channel = channelOf(service, id);
    const home = service.pageUrl;
    await untilOnlyPage(channel, home);

    await t.step("the policies are installed, readable, and no file of another service", () => {
      const files = [...Deno.readDirSync(POLICIES)].filter(({ name }) => name.startsWith("browser-stream-"));
      assert.equal(files.length, 1);
      assert.equal(Deno.statSync(join(POLICIES, files[0].name)).mode! & 0o777, 0o644);
    });

    await t.step("an address that is no web page, or a machine's secrets, is not opened", async () => {
      const port = channel.port;
      const blocked = [
        "file:///etc/passwd",
        "FILE:/etc/passwd",
        "chrome://version/",
        "chrome://policy/",
        "chrome://downloads/",
        "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html",
        "chrome-untrusted://print/",
        "devtools://devtools/bundled/inspector.html",
        `view-source:${home}`,
        "data:text/html,hi",
        `filesystem:${home}temporary/x`,
        "ftp://127.0.0.1/",
        "mailto:a@example.org",
        "intent://x",
        "http://169.254.169.254/latest/meta-data/",
        "http://2852039166/",
        "http://[::ffff:169.254.169.254]/",
        "http://metadata.google.internal/",
        `http://127.0.0.1:${port}/json/list`,
        `http://127.1:${port}/json/version`,
        `http://localhost:${port}/json`,
        `http://x.localhost:${port}/json/list`,
        `http://0.0.0.0:${port}/json/list`,
        `http://[::ffff:127.0.0.1]:${port}/json/list`,
        `http://127.0.0.1:${port}/devtools/inspector.html`,
      ];
      const open: string[] = [];
      for (const url of blocked) {
        const errorText = await navigateTab(port, url);
        if (errorText !== "net::ERR_BLOCKED_BY_ADMINISTRATOR") open.push(`${url} ${errorText}`);
      }
      assert.deepEqual(open, []);
      await untilOnlyPage(channel, home); // a tab that is going is listed for a moment
      using page = await DevTools.connect(port);
      for (const url of ["about:blank", other.url, home]) {
        const { errorText } = await page.send<{ errorText?: string }>("Page.navigate", { url });
        assert.equal(errorText, undefined, url);
      }
    });

    await t.step("keys of a browser and of a desktop open nothing", async () => {
      using keyboard = await hand(service, channel);
      const chords: (number | string)[][] = [
        [KEY.f12],
        [KEY.control, KEY.shift, "I"],
        [KEY.control, KEY.shift, "J"],
        [KEY.control, KEY.shift, "C"],
        [KEY.control, "o"],
        [KEY.control, "p"],
        [KEY.control, "s"],
        [KEY.control, "u"],
        [KEY.control, "j"],
        [KEY.control, "h"],
        [KEY.control, KEY.shift, "N"],
        [KEY.control, KEY.shift, "O"],
        [KEY.shift, KEY.escape],
      ];
      for (const chord of chords) {
        await keyboard.press(...chord);
        await pause(400);
        await keyboard.press(KEY.escape);
      }
      for (const address of ["file:///etc/passwd", "chrome://version"]) {
        await keyboard.press(KEY.control, "l");
        await pause(300);
        await keyboard.type(address);
        await keyboard.press(KEY.enter);
        await pause(1500);
        const text = await evaluate<string>(channel, "document.body.innerText");
        assert.ok(!text.includes("root:") && !text.includes("Command Line"), text.slice(0, 200));
      }
      const names = service.processes(/^(\/usr\/bin\/)?(x-terminal|xterm|sh|bash|xdg-open)\b/);
      assert.deepEqual(names, [], "a terminal or shell was started");
      for (const url of await addresses(channel)) {
        assert.doesNotMatch(url, /^devtools:/, "the developer tools are open");
      }
      const saved = service.processes(/chromium/).length > 0 &&
        [...Deno.readDirSync(join(service.runDir, "home"))].map(({ name }) => name);
      assert.ok(!(saved || []).includes("Downloads"), "something was downloaded");
    });

    await t.step("Home brings the page back and closes other windows", async () => {
      using keyboard = await hand(service, channel);
      await keyboard.press(KEY.control, "t");
      await keyboard.press(KEY.control, "n");
      await openTab(channel.port, other.url);
      const response = await service.api("POST", `/api/streams/${id}/home`);
      assert.equal(response.status, 200, await response.clone().text());
      assert.equal((await response.json()).id, id);
      await untilOnlyPage(channel, home, 15_000);
    });

    await t.step("a download is cancelled", async () => {
      const states: unknown[] = [];
      using page = await DevTools.connect(channel.port);
      page.onevent = (method, { state }) => method === "Page.downloadProgress" && states.push(state);
      await page.send("Page.enable");
      await page.send("Page.navigate", { url: `${other.url}download` });
      await until("the download to end", 20_000, () => states.includes("canceled"));
      assert.ok(!states.includes("completed"), String(states));
    });

    await t.step("a page that went to another origin is back within 30 s", async () => {
      await service.api("POST", `/api/streams/${id}/home`);
      await pause(25_000); // a page that goes by itself right after it was loaded may stay
      await evaluate(channel, `location.href = ${JSON.stringify(other.url)}`);
      await until("the other page", 10_000, async () => (await addresses(channel))[0] === other.url);
      await untilOnlyPage(channel, home);
    });

    await t.step(
      "the last window closed (Ctrl-W, and by the page's end): the browser comes back",
      async () => {
        const pid = await service.programPid(`browser-${id}`);
        using keyboard = await hand(service, channel);
        await keyboard.press(KEY.control, "w");
        await until("a new browser", 30_000, async () => {
          return await service.programPid(`browser-${id}`).catch(() => pid) !== pid;
        });
        await untilOnlyPage(channel, home);
        const [target] = await pageTargets(channel.port);
        await closeTab(channel.port, target.id);
        await until("the window to be gone", 10_000, async () => {
          return (await pageTargets(channel.port).catch(() => [])).every((one) => one.id !== target.id);
        });
        await untilOnlyPage(channel, home);
      },
    );

    await t.step("a dialog, a hung page and a crashed page do not stay", async () => {
      const leave = (expression: string) =>
        evaluate(channel, `void setTimeout(() => { ${expression} }, 100)`).catch(() => {});
      const answers = () => evaluate(channel, "1 + 1").then((sum) => sum === 2, () => false);
      await pause(22_000); // one look, so that the keeper is connected
      await leave('alert("stay"); document.title = "answered"');
      await until("the dialog to be dismissed", BACK_MS, async () => {
        return await evaluate(channel, "document.title").catch(() => "") === "answered";
      });
      await leave("while (true);");
      await pause(500);
      await until("the page to answer again", 90_000, answers);
      await untilOnlyPage(channel, home);
      {
        using page = await DevTools.connect(channel.port);
        page.send("Page.crash").catch(() => {});
        await pause(500);
      }
      await until("the page to be back", 60_000, answers);
      await untilOnlyPage(channel, home);
    });

    await t.step("Home of a stream that does not run is 409, of none 404", async () => {
      await service.api("POST", `/api/streams/${id}/stop`);
      const response = await service.api("POST", `/api/streams/${id}/home`);
      assert.equal(response.status, 409);
      assert.match((await response.json()).error.message, /does not run/);
      const none = await service.api("POST", "/api/streams/none/home");
      assert.equal(none.status, 404);
      await none.body?.cancel();
    });
  } finally {
    await service.stop();
  }
  const left = [...Deno.readDirSync(POLICIES)].map(({ name }) => name);
  assert.deepEqual(left.filter((name) => name.startsWith("browser-stream-")), [], "the policies are left");
});

Deno.test("a hostile page reads and changes nothing of the service and the other streams", async () => {
  const service = await startService();
  await using pages = serveHostile();
  try {
    const victim = channelOf(service, (await service.create({ name: "Victim" })).id);
    await untilOnlyPage(victim, service.pageUrl);
    const [target] = await pageTargets(victim.port);
    const { VNC_PROXY_PORT, RTMP_PORT, PORT } = service.env;
    const devtools = `http://127.0.0.1:${victim.port}`;
    const http = [
      `${devtools}/json/list`,
      `${devtools}/json/new?http://127.0.0.1:1/`,
      `${devtools}/json/protocol`,
      // its id is a secret; should it leak, closing a tab is all it is good for
      `${devtools}/json/close/0123456789ABCDEF0123456789ABCDEF`,
      `http://127.0.0.1:${VNC_PROXY_PORT}/vnc_lite.html`,
      `http://127.0.0.1:${RTMP_PORT}/live/victim`,
      `http://127.0.0.1:${PORT}/api/streams`,
      `http://127.0.0.1:${PORT}/api/streams/victim/stop`,
      `http://127.0.0.1:${PORT}/api/streams/victim/home`,
    ];
    const ws = [
      target.webSocketDebuggerUrl,
      `ws://127.0.0.1:${victim.port}/devtools/browser`,
      `ws://127.0.0.1:${VNC_PROXY_PORT}/websockify?token=victim`,
      `ws://127.0.0.1:${VNC_PROXY_PORT}/`,
      `ws://127.0.0.1:${PORT}/websockify?token=victim`,
    ];
    const encoder = await service.programPid("encoder-victim");
    const targets = encodeURIComponent(JSON.stringify({ http, ws }));
    await service.create({ name: "Hostile", url: `${pages.url}hostile?targets=${targets}` });
    await until("the hostile page's report", 240_000, () => pages.reports.length > 0);
    const [results] = pages.reports;
    assert.ok(results.length >= http.length * 8 + ws.length, `only ${results.length} tries`);
    const readable = results.filter(({ got }) => got !== "" && got !== "opened");
    assert.deepEqual(readable, []);
    const opened = results.filter(({ got }) => got === "opened").map(({ what }) => what);
    // websockify takes the connection, looks for the token, and closes it: nothing ever came through
    for (const what of opened) assert.match(what, new RegExp(`:${VNC_PROXY_PORT}/`));

    assert.deepEqual((await pageTargets(victim.port)).map(({ id, url }) => [id, url]), [
      [target.id, service.pageUrl],
    ]);
    const streams = await (await service.api("GET", "/api/streams")).json();
    assert.deepEqual(streams.map(({ id }: { id: string }) => id).sort(), ["hostile", "victim"]);
    assert.equal((await service.status("victim")).state, "running");
    assert.equal(await service.programPid("encoder-victim"), encoder);
  } finally {
    await service.stop();
  }
});

Deno.test("what an operator does is in the feed, the pointer is not", async () => {
  const service = await startService();
  try {
    const { id } = await service.create({ name: "Desk", url: `${service.pageUrl}typing.html` });
    const channel = channelOf(service, id);
    const colourAt = async (x: number, y: number) => {
      const [frame] = await frames(playlistUrl(service, id), 1280, 720, 1).catch(() => []);
      return frame ? pixel(frame, x, y) : [NaN, NaN, NaN];
    };
    await until("the page in the feed", 60_000, async () => isColour(await colourAt(640, 600), [0, 0, 160]));
    using person = await hand(service, channel);
    await person.point(640, 600);
    await pause(8000); // longer than the playlist
    // the arrow is black and white: it would be below and right of its point
    for (const [x, y] of [[641, 603], [642, 606], [644, 608], [643, 610]]) {
      const seen = await colourAt(x, y);
      assert.ok(isColour(seen, [0, 0, 160]), `${seen} at ${x},${y}`);
    }
    await person.click(640, 100);
    await person.type("green");
    assert.equal(await evaluate(channel, "document.querySelector('input').value"), "green");
    await until(
      "the change in the feed",
      30_000,
      async () => isColour(await colourAt(640, 600), [0, 160, 0]),
    );
  } finally {
    await service.stop();
  }
});
