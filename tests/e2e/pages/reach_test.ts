/** What a streamed page reaches, asks and gets to know, with the real Chromium. */
import { strict as assert } from "node:assert";
import { autoLogin } from "../../../lib/signin/autologin.ts";
import type { DevTools } from "../../../lib/browser/client.ts";
import type { LoginReport } from "../../../lib/signin/report.ts";
import { openPage } from "../../../lib/browser/open_page.ts";
import { DEFAULT_TIMINGS } from "../../../lib/timings.ts";
import { otherPixels, sharedBrowser } from "../../support/lone_browser.ts";
import { until } from "../../support/same.ts";

/** A server that keeps what it was asked: "GET /path body"; the tests say what it answers. */
function site() {
  const asked: string[] = [];
  const its = { answer: (_path: string): string | Response => "hello" };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const url = new URL(request.url);
    asked.push(`${request.method} ${url.pathname}${url.search} ${await request.text()}`);
    const body = its.answer(url.pathname);
    const headers = { "content-type": "text/html", "access-control-allow-origin": "*" };
    return body instanceof Response ? body : new Response(body, { headers });
  });
  return Object.assign(its, {
    port: server.addr.port,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  });
}

type Site = ReturnType<typeof site>;

const NAMES = [
  "dashboard.test",
  "data.test",
  "loop.test",
  "evil.test",
  "stream.test",
  "sso.test",
  "localhost",
];

/** Each name's own server. */
const sites: Record<string, Site> = {};

const browser = sharedBrowser((after) => {
  for (const name of NAMES) sites[name] = after.use(site());
  const places = NAMES.map((name) => {
    const { port } = sites[name];
    // this machine, as a name of somebody else's leads there
    return [name, [name === "loop.test" ? { port } : { port, space: "public" as const }]];
  });
  return Promise.resolve(Object.fromEntries(places));
});

/** What a page gets of each address by each means, as a list of what it could do. */
const TRY_ALL = `async (urls) => {
  const soon = (promise) => Promise.race([promise, new Promise((done) => setTimeout(done, 1500))]);
  const event = (target, ...names) => new Promise((done) => names.forEach((name) => target["on" + name] = () => done(name)));
  const means = {
    fetch: (url) => fetch(url).then((answer) => answer.text()),
    post: (url) => fetch(url, { method: "POST", mode: "no-cors", body: "x" }).then(() => "sent"),
    claim: (url) => fetch(url, { targetAddressSpace: "loopback" }).then((answer) => answer.text()),
    image: (url) => event(Object.assign(new Image(), { src: url }), "error").then(() => ""),
    socket: (url) => event(new WebSocket(url.replace("http", "ws")), "open", "error").then((name) => name === "open" ? name : ""),
    beacon: (url) => (navigator.sendBeacon(url, "x"), ""),
    frame: (url) => { document.body.append(Object.assign(document.createElement("iframe"), { src: url })); return ""; },
    worker: (url) => event(new Worker(URL.createObjectURL(new Blob(
      ["fetch(" + JSON.stringify(url) + ").then((a) => a.text()).then(postMessage, () => postMessage(''))"]))), "message").then(() => ""),
  };
  const got = [];
  await Promise.all(urls.flatMap((url) => Object.entries(means).map(async ([name, run]) => {
    const answer = await soon(Promise.resolve().then(() => run(url)).catch(() => ""));
    if (answer) got.push(name + " " + url + " " + answer);
  })));
  return got;
}`;

async function tryAll(urls: string[]): Promise<string[]> {
  await using page = await browser().control.connectFirst();
  return await page.evaluate<string[]>(`(${TRY_ALL})(${JSON.stringify(urls)})`, { awaitPromise: true });
}

async function open(url: string): Promise<void> {
  await using page = await browser().control.connectFirst();
  await openPage(page, url);
}

/** Does what makes the page go somewhere, and waits until that has ended, with or without a page. */
async function untilLoadEnds(act: (page: DevTools) => Promise<unknown>): Promise<void> {
  await using page = await browser().control.connectFirst();
  let hasStarted = false;
  // by frame: what was loading before may end, or go with its frame, in between
  const loading = new Set<unknown>();
  page.onevent = (method, { frameId }) => {
    if (method === "Page.frameStartedLoading") {
      hasStarted = true;
      loading.add(frameId);
    }
    if (method === "Page.frameStoppedLoading" || method === "Page.frameDetached") loading.delete(frameId);
  };
  await page.send("Page.enable");
  await act(page);
  await until("the end of loading", () => hasStarted && loading.size === 0);
}

async function untilAt(url: string): Promise<void> {
  await until(`the page ${url}`, async () => {
    await using page = await browser().control.connectFirst().catch(() => undefined);
    return await page?.evaluate(`document.readyState === "complete" && location.href`).catch(() => "") ===
      url;
  });
}

const LOOPBACK = [
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f000001",
  "localhost",
  "x.localhost",
  "0.0.0.0",
  "[::1]",
];

Deno.test("a page of the local network uses that, but reaches nothing of this machine by any name", async () => {
  const { "dashboard.test": wall, "data.test": data, "loop.test": service } = sites;
  const [lan, loop] = [`http://dashboard.test:${wall.port}/`, `http://loop.test:${service.port}/`];
  await open(lan);
  await untilAt(lan);
  const hosts = [...LOOPBACK, "[::ffff:127.0.0.1]", "wall", "loop.test"];
  assert.deepEqual(await tryAll(hosts.map((host) => `http://${host}:${service.port}/`)), []);
  {
    // of what a page may ask to be loaded ahead
    await using page = await browser().control.connectFirst();
    const urls = ["localhost.", "x.localhost.", "loop.test"].map((host) => `http://${host}:${service.port}/`);
    const rules = JSON.stringify({
      prefetch: [{ source: "list", urls }],
      prerender: [{ source: "list", urls }],
    });
    await page.evaluate(`document.head.append(Object.assign(document.createElement("script"),
      { type: "speculationrules", textContent: ${JSON.stringify(rules)} }))`);
  }
  const used = await tryAll([`http://data.test:${data.port}/`]);
  assert.deepEqual(used.map((line) => line.split(" ")[0]).sort(), ["fetch", "post"]);
  await untilLoadEnds((page) => page.evaluate(`location.href = ${JSON.stringify(loop)}`));
  assert.deepEqual(service.asked, []);
});

Deno.test("an address of the stream that redirects to this machine leads nowhere, also at a reload", async () => {
  const { "loop.test": service, "evil.test": evil } = sites;
  let isTurning = true;
  evil.answer = () =>
    isTurning
      ? new Response(null, { status: 302, headers: { location: `http://loop.test:${service.port}/` } })
      : `<link rel="icon" href="data:,">`;
  const url = `http://evil.test:${evil.port}/start`;
  await untilLoadEnds((page) => openPage(page, url));
  assert.ok(evil.asked.includes("GET /start "));
  isTurning = false;
  await open(url);
  await untilAt(url);
  isTurning = true;
  const before = evil.asked.length;
  await untilLoadEnds((page) => page.evaluate("location.reload()"));
  assert.ok(evil.asked.length > before);
  assert.deepEqual(service.asked, []);
  assert.ok(evil.asked.every((line) => line.startsWith("GET /start")), "the blank page asked for something");
});

const LOGIN = `<!doctype html><form method="post" action="ACTION">
  <input name="username"><input type="password" name="password"><button type="submit">Sign in</button></form>
  <script>
    window.URL = class { constructor() { return { origin: "ORIGIN", protocol: "https:", hostname: "stream.test" }; } };
    JSON.stringify = () => "{}";
    for (const field of document.querySelectorAll("input")) {
      field.addEventListener("input", () => fetch("/stolen?" + field.name + "=" + field.value));
    }
  </script>`;

/** What is asked for by a page of stream.test that redirects to sso.test, whose form is sent to `action`. */
interface SignIn {
  what: string;
  loginOrigins: (sso: string) => string;
  action: string;
  /** What the report says; "": the password was sent. */
  seen: RegExp | "";
}

const SIGN_INS: SignIn[] = [
  {
    what: "another origin, whatever its scripts say of it",
    loginOrigins: () => "",
    action: "",
    seen: /http:\/\/sso\.test:\d+, which is not among/,
  },
  {
    what: "a listed origin whose form is sent to one that is not listed",
    loginOrigins: (sso) => sso,
    action: "http://elsewhere.test/",
    seen: /http:\/\/elsewhere\.test, which is not among/,
  },
  { what: "a listed origin", loginOrigins: (sso) => sso, action: "", seen: "" },
];

Deno.test("a listed origin gets the password, and neither another one nor another one's form does", async () => {
  const { "sso.test": sso, "stream.test": stream } = sites;
  const [streamOrigin, ssoOrigin] = [`http://stream.test:${stream.port}`, `http://sso.test:${sso.port}`];
  stream.answer = () => new Response(null, { status: 302, headers: { location: `${ssoOrigin}/login` } });
  for (const { what, loginOrigins, action, seen } of SIGN_INS) {
    sso.asked.length = 0;
    sso.answer = () => LOGIN.replace("ACTION", action).replace("ORIGIN", streamOrigin);
    await open(`${streamOrigin}/`);
    await untilAt(`${ssoOrigin}/login`);
    const reports: LoginReport[] = [];
    const over = new AbortController();
    const done = autoLogin({
      browser: browser().control,
      url: `${streamOrigin}/`,
      user: "ops",
      pass: "s3cret",
      loginOrigins: loginOrigins(ssoOrigin),
      isTakenOver: () => Promise.resolve(false),
      report: (report) => void reports.push(report),
      limits: { ...DEFAULT_TIMINGS.signIn, waitMs: 100, goneMs: 500 },
    }, over.signal);
    const told = () => sso.asked.filter((line) => /ops|s3cret/.test(line));
    const sent = () => told().filter((line) => line.startsWith("POST"));
    await until(
      `the form of ${what} to be refused or sent`,
      () => reports.some(({ login }) => login === "failed") || sent().length > 0,
    );
    over.abort();
    await done;
    if (seen === "") {
      assert.match(sent().join(), /POST \/login.*username=ops&password=s3cret/, what);
    } else {
      assert.match(reports.at(-1)!.seen, seen, what);
      assert.deepEqual(told(), [], what);
    }
  }
});

/** Without a window manager Chromium leaves out a line at two edges. */
const SMALL = 0.004;
const COLOUR = [0x20, 0x80, 0x40];
const OTHER_COLOUR = [0x80, 0x20, 0x40];

/** Everything that would ask a person, with and without a person's click. */
const ASK_ALL = `() => {
  const ask = (run) => { try { Promise.resolve(run()).catch(() => {}); } catch {} };
  ask(() => navigator.requestMIDIAccess({ sysex: true }));
  ask(() => navigator.geolocation.getCurrentPosition(() => {}));
  ask(() => Notification.requestPermission());
  ask(() => navigator.clipboard.readText());
  ask(() => navigator.clipboard.read());
  ask(() => getScreenDetails());
  ask(() => queryLocalFonts());
  ask(() => IdleDetector.requestPermission());
  ask(() => navigator.storage.persist());
  ask(() => document.requestStorageAccess());
  ask(() => navigator.mediaDevices.getUserMedia({ video: true, audio: true }));
  ask(() => navigator.mediaDevices.getDisplayMedia());
  ask(() => navigator.usb.requestDevice({ filters: [] }));
  ask(() => navigator.hid.requestDevice({ filters: [] }));
  ask(() => navigator.serial.requestPort());
  ask(() => navigator.bluetooth.requestDevice({ acceptAllDevices: true }));
  ask(() => showOpenFilePicker());
  ask(() => showDirectoryPicker());
  ask(() => navigator.credentials.get({ publicKey: { challenge: new Uint8Array(16) } }));
  ask(() => navigator.credentials.get({ password: true, mediation: "required" }));
  ask(() => navigator.registerProtocolHandler("web+x", "/%s"));
  ask(() => fetch("http://192.168.255.254:9/", { targetAddressSpace: "local" }));
  ask(() => new PaymentRequest([{ supportedMethods: "basic-card" }], { total: { label: "x", amount: { currency: "EUR", value: "1" } } }).show());
}`;

Deno.test("a page that asks for everything shows no dialog on the air", async () => {
  const { localhost: wall } = sites;
  wall.answer = () => `<!doctype html><body style="background:rgb(${COLOUR})">`;
  // localhost is a secure context, where all of this is offered
  const url = `http://localhost:${wall.port}/`;
  const { control, display } = browser();
  await open(url);
  await untilAt(url);
  await until("the page to be painted", async () => await otherPixels(display, COLOUR) < SMALL);
  for (const userGesture of [false, true]) {
    await using page = await control.connectFirst();
    await page.send("WebAuthn.enable"); // as the page's keeper does
    await page.send("Runtime.evaluate", { expression: `(${ASK_ALL})()`, userGesture });
    // what the page paints and asks its server for afterwards is there: so what it has asked for is, too
    const [next, path] = userGesture ? [COLOUR, "/after-gesture"] : [OTHER_COLOUR, "/after"];
    await page.evaluate(`fetch("${path}").then(() => document.body.style.background = "rgb(${next})")`);
    // a picture may be painted by half; a dialog stays
    let others = 1;
    await until("the page's next colour, and nothing else", async () => {
      others = await otherPixels(display, next);
      return others < SMALL;
    }).catch((error) => assert.fail(`${error.message}: ${others * 100} %, gesture ${userGesture}`));
  }
});
