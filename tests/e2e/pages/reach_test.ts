/** What a streamed page reaches, asks and gets to know, with the real Chromium. */
import { strict as assert } from "node:assert";
import { autoLogin } from "../../../lib/devtools/autologin.ts";
import type { Browser, DevTools } from "../../../lib/devtools/client.ts";
import type { LoginReport } from "../../../lib/devtools/login_report.ts";
import { openPage } from "../../../lib/devtools/open_page.ts";
import { DEFAULT_TIMINGS } from "../../../lib/timings.ts";
import { loneBrowser, otherPixels } from "../../support/lone_browser.ts";
import { until } from "../../support/same.ts";

/** A server that keeps what it was asked: "GET /path body". */
function site(answer: (url: URL) => string | Response = () => "hello") {
  const asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const url = new URL(request.url);
    asked.push(`${request.method} ${url.pathname}${url.search} ${await request.text()}`);
    const body = answer(url);
    const headers = { "content-type": "text/html", "access-control-allow-origin": "*" };
    return body instanceof Response ? body : new Response(body, { headers });
  });
  return { port: server.addr.port, asked, [Symbol.asyncDispose]: () => server.shutdown() };
}

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

async function tryAll(control: Browser, urls: string[]): Promise<string[]> {
  await using page = await control.connectFirst();
  return await page.evaluate<string[]>(`(${TRY_ALL})(${JSON.stringify(urls)})`, { awaitPromise: true });
}

async function open(control: Browser, url: string): Promise<void> {
  await using page = await control.connectFirst();
  await openPage(page, url);
}

/** Does what makes the page go somewhere, and waits until that has ended, with or without a page. */
async function untilLoadEnds(control: Browser, act: (page: DevTools) => Promise<unknown>): Promise<void> {
  await using page = await control.connectFirst();
  let [starts, ends] = [0, 0];
  page.onevent = (method) => {
    if (method === "Page.frameStartedLoading") starts++;
    if (method === "Page.frameStoppedLoading") ends++;
  };
  await page.send("Page.enable");
  await act(page);
  await until("the end of loading", () => starts > 0 && starts === ends);
}

async function untilAt(control: Browser, url: string): Promise<void> {
  await until(`the page ${url}`, async () => {
    await using page = await control.connectFirst().catch(() => undefined);
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
  await using wall = site();
  await using data = site(() => "data");
  await using service = site(() => "secret");
  const [lan, loop] = [`http://dashboard.test:${wall.port}/`, `http://loop.test:${service.port}/`];
  await using browser = await loneBrowser(lan, {
    "dashboard.test": [{ port: wall.port, space: "public" }],
    "data.test": [{ port: data.port, space: "public" }],
    "loop.test": [{ port: service.port }],
  });
  const { control } = browser;
  await open(control, lan);
  await untilAt(control, lan);
  const hosts = [...LOOPBACK, "[::ffff:127.0.0.1]", "wall", "loop.test"];
  assert.deepEqual(await tryAll(control, hosts.map((host) => `http://${host}:${service.port}/`)), []);
  {
    // of what a page may ask to be loaded ahead
    await using page = await control.connectFirst();
    const urls = ["localhost.", "x.localhost.", "loop.test"].map((host) => `http://${host}:${service.port}/`);
    const rules = JSON.stringify({
      prefetch: [{ source: "list", urls }],
      prerender: [{ source: "list", urls }],
    });
    await page.evaluate(`document.head.append(Object.assign(document.createElement("script"),
      { type: "speculationrules", textContent: ${JSON.stringify(rules)} }))`);
  }
  const used = await tryAll(control, [`http://data.test:${data.port}/`]);
  assert.deepEqual(used.map((line) => line.split(" ")[0]).sort(), ["fetch", "post"]);
  await untilLoadEnds(control, (page) => page.evaluate(`location.href = ${JSON.stringify(loop)}`));
  assert.deepEqual(service.asked, []);
});

Deno.test("an address of the stream that redirects to this machine leads nowhere, also at a reload", async () => {
  await using service = site(() => "secret");
  let isTurning = true;
  await using evil = site(() =>
    isTurning
      ? new Response(null, { status: 302, headers: { location: `http://loop.test:${service.port}/` } })
      : `<link rel="icon" href="data:,">`
  );
  const url = `http://evil.test:${evil.port}/start`;
  await using browser = await loneBrowser(url, {
    "evil.test": [{ port: evil.port, space: "public" }],
    "loop.test": [{ port: service.port }],
  });
  await untilLoadEnds(browser.control, (page) => openPage(page, url));
  assert.ok(evil.asked.includes("GET /start "));
  isTurning = false;
  await open(browser.control, url);
  await untilAt(browser.control, url);
  isTurning = true;
  const before = evil.asked.length;
  await untilLoadEnds(browser.control, (page) => page.evaluate("location.reload()"));
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
  let [streamOrigin, formAction] = ["", ""];
  await using sso = site(() => LOGIN.replace("ACTION", formAction).replace("ORIGIN", streamOrigin));
  const ssoOrigin = `http://sso.test:${sso.port}`;
  await using stream = site(() =>
    new Response(null, { status: 302, headers: { location: `${ssoOrigin}/login` } })
  );
  streamOrigin = `http://stream.test:${stream.port}`;
  await using browser = await loneBrowser(`${streamOrigin}/`, {
    "stream.test": [{ port: stream.port, space: "public" }],
    "sso.test": [{ port: sso.port, space: "public" }],
  });
  for (const { what, loginOrigins, action, seen } of SIGN_INS) {
    sso.asked.length = 0;
    formAction = action;
    await open(browser.control, `${streamOrigin}/`);
    await untilAt(browser.control, `${ssoOrigin}/login`);
    const reports: LoginReport[] = [];
    const over = new AbortController();
    const done = autoLogin({
      browser: browser.control,
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
  await using wall = site(() => `<!doctype html><body style="background:rgb(${COLOUR})">`);
  // localhost is a secure context, where all of this is offered
  const url = `http://localhost:${wall.port}/`;
  await using browser = await loneBrowser(url, { localhost: [{ port: wall.port, space: "public" }] });
  const { control, display } = browser;
  await open(control, url);
  await untilAt(control, url);
  await until("the page to be painted", async () => await otherPixels(display, COLOUR) < SMALL);
  for (const userGesture of [false, true]) {
    await using page = await control.connectFirst();
    await page.send("WebAuthn.enable"); // as the page's keeper does
    await page.send("Runtime.evaluate", { expression: `(${ASK_ALL})()`, userGesture });
    // what the page paints and asks its server for afterwards is there: so what it has asked for is, too
    const [next, path] = userGesture ? [COLOUR, "/after-gesture"] : [OTHER_COLOUR, "/after"];
    await page.evaluate(`fetch("${path}").then(() => document.body.style.background = "rgb(${next})")`);
    await until("the page's next colour", async () => await otherPixels(display, next) < 0.5);
    const others = await otherPixels(display, next);
    assert.ok(others < SMALL, `${others * 100} % of the picture is something else, gesture ${userGesture}`);
  }
});
