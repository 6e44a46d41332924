/** A page is tried before it is a stream: what is answered, and that nothing of it stays. */
import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Browser, type BrowserControl } from "../../lib/browser/client.ts";
import { readSpec } from "../../lib/live/programs/commands/spec.ts";
import { streamId } from "../../lib/model/id.ts";
import { appTest, type TestApp } from "../support/app.ts";
import { JPEG } from "../support/machine.ts";
import { pretendedWire } from "../support/pretended_wire.ts";
import { until } from "../support/same.ts";

const FAST = { env: { TIMINGS: '{"trial":{"pageMs":300,"lookMs":5,"settleMs":1}}' } };
const TARGET = { id: "A".repeat(32), type: "page", url: "https://example.org/" };

interface Page {
  href?: string;
  status?: number;
  title?: string;
  asks?: string;
  contentType?: string;
  /** The browser's error on its own page. */
  error?: string;
}

/** Does something at a command, or at an expression; `tell` sends an event of the browser. */
type Commands = Record<string, (tell: (method: string, params: Record<string, unknown>) => void) => unknown>;

/** Lets the machine's browser show a page, which `commands` may change. */
function show(app: TestApp, shown: { page: Page }, commands: Commands = {}): void {
  const send = (method: string, params: { expression?: string } = {}): Promise<unknown> => {
    const { expression = "" } = params;
    commands[method]?.((event, told) => tab.onevent(event, told));
    commands[expression]?.(() => {});
    if (method === "Page.getFrameTree") {
      const frame = { id: TARGET.id, loaderId: "1", securityOrigin: "null" };
      return Promise.resolve({ frameTree: { frame } });
    }
    if (method !== "Runtime.evaluate") return Promise.resolve({ executionContextId: 1 });
    const {
      href = TARGET.url,
      status = 200,
      title = "",
      asks = "nothing",
      contentType = "text/html",
      error,
    } = shown.page;
    const value = expression.includes("loadTimeDataRaw")
      ? error
      : expression.includes("contentType")
      ? { title, contentType, isLoaded: true, form: { asks } }
      : { href, status: error ? 0 : status, isOpening: false, isBlank: false };
    return Promise.resolve({ result: { value } });
  };
  const evaluate = async (expression: string) =>
    (await send("Runtime.evaluate", { expression }) as { result: { value: unknown } }).result.value;
  const onevent: (method: string, params: Record<string, unknown>) => void = () => {};
  const tab = { send, evaluate, onevent, [Symbol.asyncDispose]: () => Promise.resolve() };
  const control = { pages: () => Promise.resolve([TARGET]), connect: () => Promise.resolve(tab) };
  app.machine.browsers.of = () => control as unknown as BrowserControl;
}

const tryIt = (app: TestApp, url: unknown) => app.api("POST", "/api/streams/try", { url });

/** Waits until nothing of the tried page is left. */
async function assertGone(app: TestApp): Promise<void> {
  await app.service.trial.stop();
  const { profilesDir, logsDir, specsDir, programsDir } = app.paths;
  for (const path of [join(profilesDir, "try"), join(logsDir, "try"), join(specsDir, "try.json")]) {
    assert.ok(!existsSync(path), path);
  }
  assert.ok(!existsSync(join(programsDir, "try.conf")));
  assert.deepEqual(await app.machine.programs(), []);
  assert.deepEqual(app.service.trial.running(), []);
  assert.deepEqual((await app.api("GET", "/api/streams")).json, []);
}

appTest("a tried page is told with picture, title and status, and leaves nothing", async (app) => {
  show(app, { page: { title: "Sales \n today" } });
  const { status, json } = await tryIt(app, "example.org/");
  assert.equal(status, 200);
  const { picture, ...told } = json;
  assert.match(picture, /^\/9j\//, "a JPEG in base64");
  const url = "https://example.org/";
  assert.deepEqual(told, {
    url,
    title: "Sales today",
    status: 200,
    problem: null,
    media: null,
    login: null,
    certificate: null,
    leftOut: [],
  });
  const commands = app.machine.supervisord.commands();
  assert.ok(commands.some((one) => one === "start stream-try:browser-try"), commands.join());
  assert.ok(!commands.some((one) => one.includes("encoder")), "there is no channel");
  await assertGone(app);
}, FAST);

for (
  const [what, page, expected] of [
    ["a login form", { asks: "password" }, { login: "form", problem: null }],
    ["the first step of a login", { asks: "user" }, { login: "form", problem: null }],
    ["a login by HTTP", { status: 401 }, { login: "http", problem: /user name and a password \(401\)/ }],
    ["a page that is not there", { status: 404 }, {
      login: null,
      problem: /no page at this address \(404\)/,
    }],
  ] as const
) {
  appTest(`a tried page says what it is: ${what}`, async (app) => {
    show(app, { page });
    const { json } = await tryIt(app, "https://example.org/");
    assert.equal(json.login, expected.login);
    if (expected.problem === null) assert.equal(json.problem, null);
    else assert.match(json.problem, expected.problem);
  }, FAST);
}

for (
  const [fault, error, expected] of [
    ["signed by itself", "ERR_CERT_AUTHORITY_INVALID", /comes from an issuer that is not trusted/],
    ["over", "ERR_CERT_DATE_INVALID", /has expired, or is not valid yet/],
    ["for another name", "ERR_CERT_COMMON_NAME_INVALID", /is for another name/],
  ] as const
) {
  appTest(
    `a tried page whose certificate is ${fault} says so, and opens once it is accepted`,
    async (app) => {
      const chain = [btoa("one"), btoa("two")];
      const fingerprint = createHash("sha256").update("onetwo").digest("hex");
      const page: Page = { title: "Appliance" };
      const warning = { href: "chrome-error://chromewebdata/", error };
      const certificateSecurityState = {
        certificate: chain,
        certificateNetworkError: `net::${error}`,
        subjectName: "nas.local",
        issuer: "nas.local",
        validFrom: 1_700_000_000,
        validTo: 1_800_000_000,
      };
      const tried = async (fields: Record<string, unknown>) => {
        const shown: { page: Page } = { page: { ...page, ...warning } };
        show(app, shown, {
          "Security.enable": (tell) =>
            tell("Security.visibleSecurityStateChanged", {
              visibleSecurityState: { certificateSecurityState },
            }),
          "certificateErrorPageController.proceed()": () => shown.page = page,
        });
        const body = { url: TARGET.url, ...fields };
        const { json } = await app.api("POST", "/api/streams/try", body);
        await app.service.trial.settled();
        return json;
      };
      const { problem, certificate, title } = await tried({});
      assert.match(problem, expected);
      assert.deepEqual([certificate, title], [{
        fingerprint,
        subject: "nas.local",
        issuer: "nas.local",
        validFrom: 1_700_000_000_000,
        validTo: 1_800_000_000_000,
      }, ""]);
      const other = await tried({ acceptedCertificates: "0".repeat(64) });
      assert.deepEqual([other.problem, other.certificate.fingerprint], [problem, fingerprint]);
      const accepted = await tried({ acceptedCertificates: fingerprint });
      assert.deepEqual([accepted.problem, accepted.certificate, accepted.title], [null, null, "Appliance"]);
      assert.match(accepted.picture, /^\/9j\//);
      const bad = await app.api("POST", "/api/streams/try", { url: TARGET.url, acceptedCertificates: "x" });
      assert.deepEqual([bad.status, Object.keys(bad.json.error.fields)], [400, ["acceptedCertificates"]]);
    },
    FAST,
  );
}

for (
  const [what, error, expected] of [
    ["a host that is not there", "ERR_NAME_NOT_RESOLVED", /host name is not found/],
    ["a server that does not run", "ERR_CONNECTION_REFUSED", /refuses the connection/],
    ["redirects in a circle", "ERR_TOO_MANY_REDIRECTS", /redirects in a circle/],
    ["an old TLS", "ERR_SSL_VERSION_OR_CIPHER_MISMATCH", /no secure connection/],
  ] as const
) {
  appTest(`a tried page that cannot be opened has no certificate to accept: ${what}`, async (app) => {
    show(app, { page: { href: "chrome-error://chromewebdata/", error } });
    const { json } = await tryIt(app, "https://example.org/");
    assert.match(json.problem, expected);
    assert.equal(json.certificate, null);
  }, FAST);
}

appTest("a tried page is right with the statuses that are accepted", async (app) => {
  for (const status of [404, 502, 401]) {
    show(app, { page: { status } });
    const tried = async (acceptedStatuses: unknown) => {
      const body = { url: "https://example.org/", acceptedStatuses };
      const { json } = await app.api("POST", "/api/streams/try", body);
      return [json.problem === null, json.status, json.login];
    };
    assert.deepEqual(await tried("401 404 502"), [true, status, null]);
    assert.deepEqual(await tried(status), [true, status, null]);
    assert.deepEqual(await tried("403"), [false, status, status === 401 ? "http" : null]);
  }
  const body = { url: "https://example.org/", acceptedStatuses: "200" };
  const { status, json } = await app.api("POST", "/api/streams/try", body);
  assert.deepEqual([status, Object.keys(json.error.fields)], [400, ["acceptedStatuses"]]);
}, FAST);

appTest("a download is told as soon as it comes", async (app) => {
  const target = { targetId: TARGET.id, type: "page", url: "about:blank" };
  const wire = () =>
    Promise.resolve(pretendedWire((method, params, tell) => {
      if (method === "Target.getTargets") return { targetInfos: [target] };
      if (method === "Target.attachToTarget") return { sessionId: "1" };
      const expression = String(params.expression ?? "");
      if (expression === "location.origin") return { result: { value: "https://example.org" } };
      if (expression.includes("location.replace")) {
        tell("Page.downloadWillBegin", { frameId: "a frame of the page" });
        tell("Page.downloadWillBegin", { frameId: TARGET.id });
      }
      return expression === "" ? {} : { result: { value: null } };
    }));
  const browser = new Browser(wire);
  app.machine.browsers.of = () => browser;
  const answer = tryIt(app, "https://example.org/setup.exe");
  await until("the page under trial", () => app.service.trial.running().length === 1);
  for (const first of app.service.trial.running()) first.look(() => {});
  const { json } = await answer;
  assert.equal(json.problem, "The address leads to a download or to nothing, not to a page.");
  assert.equal(json.picture, null);
  await assertGone(app);
  // the time for a page is not over
}, { env: { TIMINGS: '{"trial":{"pageMs":3600000,"wholeMs":3600000,"lookMs":5,"settleMs":1}}' } });

appTest("a tried address of a medium says what it is", async (app) => {
  for (
    const [contentType, expected] of [
      ["application/pdf", /^a PDF: its pages are shown in turn/],
      ["multipart/x-mixed-replace", /^a camera's stream of pictures \(MJPEG\)/],
      ["image/svg+xml", /^a picture/],
      ["video/mp4", /^a video/],
      ["application/vnd.apple.mpegurl", /^a video/],
      ["application/x-mpegURL", /^a video/],
      ["text/html", null],
      ["text/plain", null],
    ] as const
  ) {
    show(app, { page: { contentType } });
    const { json } = await tryIt(app, "https://example.org/");
    if (expected === null) assert.equal(json.media, null, contentType);
    else assert.match(json.media, expected);
    await app.service.trial.settled();
  }
  show(app, { page: { contentType: "application/pdf", status: 404 } });
  assert.match((await tryIt(app, "https://example.org/")).json.media, /^a PDF/);
}, FAST);

appTest("a page that does not open in time is told so, and leaves nothing", async (app) => {
  const { status, json } = await tryIt(app, "https://example.org/");
  assert.equal(status, 200);
  assert.match(json.problem, /^The page did not open in time: .* A stream waits for it for 5 minutes\.$/);
  await assertGone(app);
}, FAST);

appTest("what no stream may show is not opened", async (app) => {
  for (
    const url of [
      "http://127.0.0.1:8000/",
      "http://169.254.169.254/",
      "file:///etc/passwd",
      "x",
      7,
      undefined,
    ]
  ) {
    const { status, json } = await tryIt(app, url);
    assert.equal(status, 400, String(url));
    assert.ok(json.error.fields.url, String(url));
  }
  assert.deepEqual(app.machine.supervisord.commands(), []);
}, FAST);

appTest("one page is tried at a time", async (app) => {
  show(app, { page: {} });
  const release = app.machine.supervisord.block();
  const first = tryIt(app, "https://example.org/");
  const second = await tryIt(app, "https://example.org/");
  assert.deepEqual([second.status, second.headers.get("retry-after")], [409, "10"]);
  release();
  assert.equal((await first).status, 200);
  assert.equal(
    (await tryIt(app, "https://example.org/")).status,
    200,
    "the next one waits until that is gone",
  );
  await assertGone(app);
}, FAST);

appTest("a client's newer trial takes the place of its last one", async (app) => {
  show(app, { page: {} });
  const asked = (zoom: number) =>
    app.api("POST", "/api/streams/try", { url: "https://example.org/", zoom, asker: "form-1" });
  const release = app.machine.supervisord.block();
  const older = [asked(110), asked(120)];
  const newest = asked(130);
  assert.equal((await tryIt(app, "https://example.org/")).status, 409, "others wait for it");
  let tried: Awaited<ReturnType<typeof readSpec>> = null;
  app.machine.capture = async () => {
    tried = await readSpec(app.paths.specsDir, streamId("try"));
    return JPEG;
  };
  release();
  assert.equal((await newest).status, 200);
  assert.equal(tried!.stream.zoom, 130);
  for (const { status, json } of await Promise.all(older)) {
    assert.deepEqual([status, json.error.message], [409, "A newer trial replaced this one."]);
  }
  await assertGone(app);
}, FAST);

appTest("an edited stream is tried with its stored headers and cookies, where they may go", async (app) => {
  show(app, { page: {} });
  const secrets = { extraHeaders: "X-Key: k3y", extraCookies: "session=c00kie", user: "u", pass: "p4ss" };
  const { id } = await app.create({ ...secrets, url: "https://example.org/", desiredState: "stopped" });
  let tried: Awaited<ReturnType<typeof readSpec>> = null;
  app.machine.capture = async () => {
    tried = await readSpec(app.paths.specsDir, streamId("try"));
    return JPEG;
  };
  const asTried = async (body: Record<string, unknown>) => {
    const { status, json } = await app.api("POST", "/api/streams/try", { stream: id, ...body });
    assert.equal(status, 200);
    assert.ok(!JSON.stringify(json).match(/k3y|c00kie|p4ss/), "no secret is told");
    const { extraHeaders, extraCookies, pass } = tried!.stream;
    return [extraHeaders, extraCookies, pass, json.leftOut.length];
  };
  const url = "https://example.org/other";
  assert.deepEqual(await asTried({ url }), ["X-Key: k3y", "session=c00kie", "", 0]);
  assert.deepEqual(await asTried({ url, extraCookies: "" }), ["X-Key: k3y", "", "", 0]);
  assert.deepEqual(await asTried({ url: "https://example.net/" }), ["", "", "", 2]);
  assert.deepEqual(await asTried({ url, css: "input { background: url(https://own.example/) }" }), [
    "",
    "",
    "",
    2,
  ]);
  await app.idle();
  const body = { url, stream: "nobody" };
  assert.equal((await app.api("POST", "/api/streams/try", body)).status, 404);
}, FAST);

appTest("a client that leaves ends its trial", async (app) => {
  const left = new AbortController();
  const body = JSON.stringify({ url: "https://example.org/" });
  const headers = { "content-type": "application/json" };
  const answer = app.fetch("/api/streams/try", { method: "POST", headers, body, signal: left.signal })
    .then((response) => response.body?.cancel(), () => {});
  await until("the trial", () => app.service.trial.running().length > 0);
  left.abort();
  await answer;
  await assertGone(app);
}, { env: { TIMINGS: '{"trial":{"pageMs":60000,"wholeMs":60000,"lookMs":5}}' } });

appTest(
  "what a web app left that ended in the middle of a trial is cleared at the next start",
  async (app) => {
    await Deno.writeTextFile(join(app.paths.specsDir, "try.json"), "{}");
    await Deno.mkdir(join(app.paths.profilesDir, "try"), { recursive: true });
    app.service.trial.start();
    await assertGone(app);
  },
  FAST,
);

appTest(
  "a page is tried with the settings of how it looks, and with no other field of a stream",
  async (app) => {
    show(app, { page: {} });
    let tried: Awaited<ReturnType<typeof readSpec>> = null;
    app.machine.capture = async () => {
      tried = await readSpec(app.paths.specsDir, streamId("try"));
      return JPEG;
    };
    const looks = { zoom: "150", css: "a {}", extraHeaders: "X-Key: 1" };
    const body = { url: "https://example.org/", ...looks, pass: "p", name: "x", resolution: "64x64" };
    assert.equal((await app.api("POST", "/api/streams/try", body)).status, 200);
    const { zoom, css, extraHeaders, pass, resolution } = tried!.stream;
    assert.deepEqual([zoom, css, extraHeaders, pass, resolution], [150, "a {}", "X-Key: 1", "", "1280x720"]);
    const bad = await app.api("POST", "/api/streams/try", { ...body, zoom: 9999 });
    assert.deepEqual([bad.status, Object.keys(bad.json.error.fields)], [400, ["zoom"]]);
    await assertGone(app);
  },
  FAST,
);

appTest("a login in a tried address is for its server, and no answer has it", async (app) => {
  show(app, { page: {} });
  let tried: Awaited<ReturnType<typeof readSpec>> = null;
  app.machine.capture = async () => {
    tried = await readSpec(app.paths.specsDir, streamId("try"));
    return JPEG;
  };
  const { status, json } = await app.api("POST", "/api/streams/try", {
    url: "https://wall:s3cret%40x@example.org/",
  });
  assert.deepEqual([status, json.url], [200, "https://example.org/"]);
  assert.doesNotMatch(JSON.stringify(json), /s3cret/);
  const { url, user, pass } = tried!.stream;
  assert.deepEqual([url, user, pass], ["https://example.org/", "wall", "s3cret@x"]);
  await assertGone(app);
}, FAST);
