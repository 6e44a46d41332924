/** Signing in on pages, with the real Chromium: the forms of well-known applications, and HTTP's own logins. */
import { strict as assert } from "node:assert";
import { PageKeeper } from "../../../lib/live/page/keeper.ts";
import { autoLogin } from "../../../lib/signin/autologin.ts";
import { documentOf } from "../../../lib/browser/document.ts";
import { isLoginPage } from "../../../lib/signin/page.ts";
import type { LoginReport } from "../../../lib/signin/report.ts";
import { dress } from "../../../lib/live/page/looks/page_dress.ts";
import { openPage } from "../../../lib/browser/open_page.ts";
import { DEFAULT_TIMINGS } from "../../../lib/timings.ts";
import { type LoginPages, PASSWORD, serveLogins, USER } from "../../support/login_pages.ts";
import { aGround, aKeptStream } from "../../support/ground.ts";
import { aStream } from "../../support/fixture.ts";
import { serveLooks } from "../../support/look_pages.ts";
import { sharedBrowser } from "../../support/lone_browser.ts";
import { until } from "../../support/same.ts";
import { reserveSlot } from "../../support/slot.ts";

/** Of another site, which has to be known when the browser is started; and of one whose page has extra headers. */
const slot = reserveSlot();
const [THIEF_PORT, LOOKS_PORT] = slot.ports;

let pages: LoginPages;
const browser = sharedBrowser((after) => {
  after.use(slot);
  pages = after.use(serveLogins());
  return Promise.resolve({
    "wall.test": [{ port: pages.port, space: "public" }],
    "thief.test": [{ port: THIEF_PORT, space: "public" }],
    "looks.test": [{ port: LOOKS_PORT, space: "public" }],
  });
});

const LIMITS = {
  ...DEFAULT_TIMINGS.signIn,
  waitMs: 150,
  lookMs: 300,
  goneMs: 400,
  heldMs: 1,
  pauseMs: 2,
};

interface Helper extends AsyncDisposable {
  reports: LoginReport[];
  until(login: LoginReport["login"]): Promise<LoginReport>;
}

/** The helper at work, for a test. */
function helper(pass = PASSWORD, path = "", limits = LIMITS, loginOrigins = ""): Helper {
  const reports: LoginReport[] = [];
  const stop = new AbortController();
  const done = autoLogin({
    browser: browser().control,
    url: `${pages.origin}/${path}`,
    loginOrigins,
    user: USER,
    pass,
    isTakenOver: () => Promise.resolve(false),
    report: (report) => void reports.push(report),
    limits,
  }, stop.signal);
  return {
    reports,
    until: async (login) => {
      const at = () => reports.findIndex((one) => one.login === login);
      await until(`the login to be ${login}`, () => at() >= 0).catch(async (error) => {
        throw new Error(`${error.message}: ${JSON.stringify([reports, pages.tries, await shownNow()])}`);
      });
      return reports.splice(0, at() + 1).at(-1)!;
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await done;
    },
  };
}

/** What the page is then, for a failure. */
async function shownNow(): Promise<unknown> {
  const look = "[location.href, document.readyState, document.body?.innerText.slice(0, 200)]";
  try {
    await using page = await browser().control.connectFirst();
    return await page.evaluate(look);
  } catch (error) {
    return String(error);
  }
}

async function open(path: string): Promise<void> {
  await using page = await browser().control.connectFirst();
  await openPage(page, `${pages.origin}/${path}`);
}

for (const name of ["keycloak", "framed"]) {
  Deno.test(
    `the login form of ${name} is filled in, and sent once`,
    async () => {
      const target = name === "framed" ? "zabbix" : name;
      pages.expire(target);
      pages.tries.length = 0;
      await using login = helper();
      await open(`login/${name}`);
      await login.until("succeeded");
      assert.deepEqual(pages.tries, [`${target} ${USER} right`]);
    },
  );
}

Deno.test("to stay signed in is answered with yes; which account is left to a person, who is told", async () => {
  pages.tries.length = 0;
  {
    await using login = helper();
    await open("login/stay");
    await login.until("succeeded");
    assert.deepEqual(pages.tries, [`stay ${USER} right`, "answer-stay Yes"]);
  }
  await using login = helper();
  await open("login/account");
  assert.match((await login.until("failed")).seen, /something that a person has to answer/);
  // the session is there: nothing is sent on this page
  await using later = helper(PASSWORD, "", { ...LIMITS, verifyMs: 300 });
  assert.match((await later.until("failed")).seen, /something that a person has to answer/);
});

let written = 0;

/** Opens a page with a body of the test's. */
async function write(body: string): Promise<void> {
  const path = `login/nowhere-${++written}`;
  await open(path);
  await using page = await browser().control.connectFirst();
  const isThere = `location.pathname === "/${path}" && document.readyState === "complete"`;
  await until("the page", () => page.evaluate<boolean>(isThere).catch(() => false));
  await page.evaluate(`document.body.innerHTML = ${JSON.stringify(body)}`);
}

/** Another site, whose page can be changed. */
function elsewhere() {
  const site = { body: "", url: `http://thief.test:${THIEF_PORT}/` };
  const headers = { "content-type": "text/html; charset=utf-8" };
  const address = { hostname: "127.0.0.1", port: THIEF_PORT, onListen: () => {} };
  const server = Deno.serve(address, () => new Response(`<!doctype html>${site.body}`, { headers }));
  return Object.assign(site, { [Symbol.asyncDispose]: () => server.shutdown() });
}

Deno.test("a login that goes on at its own site, after the password, is a person's", async () => {
  await using site = elsewhere();
  site.body = `<title>Accounts</title><h1>Confirm your phone number</h1><a href="/">Next</a>`;
  await write(`<form onsubmit="location = '${site.url}'; return false">
    <input name="user"><input type="password" name="password"><button>Log in</button></form>`);
  const limits = { ...LIMITS, verifyMs: 800 };
  await using login = helper(PASSWORD, "", limits, site.url.slice(0, -1));
  assert.match((await login.until("failed")).seen, /something that a person has to answer/);
  await write("<h1>Line 4</h1><p>It runs.</p>");
  await login.until("succeeded");
});

Deno.test("a login in another site's frame is found, and other frames are none", async () => {
  await using site = elsewhere();
  const frame = (width: number) => `<iframe src="${site.url}" width="${width}" height="500"></iframe>`;
  const FORM = "<form><input name=user><input type=password><button>Log in</button></form>";
  const LINES = `<p>${"Line 4 runs. ".repeat(60)}</p>`;
  const rows: [body: string, framed: string, isLogin: boolean][] = [
    [frame(900), "<h1>Plant</h1><p>Line 4 runs.</p>", false],
    [frame(900), `<h1>Plant</h1>${FORM}`, true],
    [frame(900) + LINES, `<h1>Plant</h1>${FORM}`, false],
    [frame(50), `<h1>Plant</h1>${FORM}`, false],
  ];
  for (const [body, framed, isLogin] of rows) {
    site.body = framed;
    await write(body);
    await using page = await browser().control.connectFirst();
    await page.send("Page.enable");
    const [{ id: frameId }] = await browser().control.pages();
    const question = { page, frameId, url: pages.origin, browser: browser().control, hasHelper: true };
    await until("the frame", () => page.evaluate(`performance.getEntriesByType("resource").length > 0`));
    if (isLogin) await until("the login", () => isLoginPage(question));
    else assert.equal(await isLoginPage(question), false, `${body} ${framed}`);
  }
});

Deno.test("a session that ends without any page being loaded is noticed, and the page logged in again", async () => {
  pages.expire("uptime-kuma");
  await using login = helper();
  await open("login/uptime-kuma");
  await login.until("succeeded");
  pages.expire("uptime-kuma");
  await login.until("expired");
  assert.equal((await login.until("succeeded")).isLast, false);
});

Deno.test("what a page says beside its form, without loading anything, is seen, too", async () => {
  pages.expire("grafana");
  // only this ends the wait for a page that stays
  await using login = helper("wrong", "", { ...LIMITS, verifyMs: 800 });
  await open("login/grafana");
  for (const tries of [1, 2]) {
    const report = await login.until("failed");
    assert.match(report.seen, /^Invalid username or password/);
    assert.equal(report.tries, tries);
  }
});

Deno.test("a form that another site's frame takes the focus from gives that frame nothing", async () => {
  const typed: string[] = [];
  await using _thief = Deno.serve(
    { hostname: "127.0.0.1", port: THIEF_PORT, onListen: () => {} },
    (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === "/typed") typed.push(searchParams.get("text")!);
      const script = `const field = document.querySelector("input");
      setInterval(() => field.focus(), 5);
      field.addEventListener("input", () => fetch("/typed?text=" + encodeURIComponent(field.value)))`;
      return new Response(`<input><script>${script}</script>`, { headers: { "content-type": "text/html" } });
    },
  );
  pages.expire("zabbix");
  pages.tries.length = 0;
  await open("login/welcome-nowhere");
  {
    await using page = await browser().control.connectFirst();
    await until("the page", () => page.evaluate(`document.readyState === "complete"`));
    const frame = `<iframe src="http://thief.test:${THIEF_PORT}/"></iframe>`;
    await page.evaluate(`document.body.innerHTML = ${JSON.stringify(`${frame}<div id=form></div>`)}`);
    await until(
      "the other site's frame to have the focus",
      () => page.evaluate<boolean>(`document.activeElement.tagName === "IFRAME"`),
    );
    await using login = helper();
    await page.evaluate(
      `document.getElementById("form").innerHTML = '<form action="/login/zabbix" method="post"><input name="user"><input type="password" name="password"><button>Log in</button></form>'`,
    );
    await login.until("succeeded");
  }
  assert.deepEqual(pages.tries, [`zabbix ${USER} right`]);
  assert.deepEqual(typed, []);
});

async function untilShown(): Promise<void> {
  await until("the page to be shown", async () => {
    await using page = await browser().control.connectFirst().catch(() => undefined);
    return await page?.evaluate("document.title").catch(() => "") === "welcome";
  });
}

// basic is that of the two tests below as well
Deno.test(
  `a server that asks by HTTP ntlm gets the login, and one that refuses it gets it five times`,
  async () => {
    pages.tries.length = 0;
    {
      await using login = helper("wrong");
      await open(`ntlm/page`);
      for (let tries = 1; tries <= 5; tries++) {
        const report = await login.until("failed");
        assert.deepEqual([report.tries, report.isLast], [tries, tries === 5]);
      }
      await open(`ntlm/again`);
      assert.deepEqual(pages.tries, Array(5).fill(`ntlm wrong`));
    }
    await using login = helper();
    await open(`ntlm/page`);
    await login.until("succeeded");
    await untilShown();
    assert.equal(pages.tries.at(-1), `ntlm right`);
  },
);

Deno.test("the browser's own dialog about a login, opened before the helper was there, is answered", async () => {
  await open("basic-dialog/page");
  await until("the dialog", async () => {
    await using page = await browser().control.connectFirst();
    return (await documentOf(page)).unreachable !== null;
  });
  await using login = helper();
  await login.until("succeeded");
});

Deno.test("a page opened at the browser's start has the login before anything is shown", async () => {
  const url = `${pages.origin}/basic-start/page`;
  const world = aGround();
  world.machine.browsers.of = () => browser().control;
  const shown = Promise.withResolvers<void>();
  const live = aKeptStream(world, { url, user: USER, pass: PASSWORD });
  live.channel.slate.shown = () => shown.resolve();
  const keeper = new PageKeeper(live, world.ground, live.spec!);
  {
    // as at a start
    await using page = await browser().control.connectFirst();
    await page.send("Page.navigate", { url: "about:blank" });
    await until("the blank page", async () => (await browser().control.pages())[0].url === "about:blank");
  }
  keeper.first.look(() => {});
  await untilShown();
  await shown.promise;
  await keeper.close();
});

Deno.test("extra headers go to a page's own site, and not where it leads to or redirects to", async () => {
  const site = { name: "looks.test", port: LOOKS_PORT };
  await using looks = serveLooks({ site, elsewhere: { name: "thief.test", port: THIEF_PORT } });
  await using dressed = await browser().control.connectFirst();
  const problems: string[] = [];
  const settings = aStream({ url: looks.url, extraHeaders: "X-Wall-Key: k3y", extraCookies: "wall=c00kie" });
  await dress(dressed, settings, (text) => problems.push(text));
  await using page = await browser().control.connectFirst();
  await openPage(page, looks.url);
  await until("both images of the other site", () => looks.other.length >= 2);
  assert.deepEqual(problems, []);
  assert.ok(looks.own.length >= 2);
  assert.deepEqual(looks.own.filter((headers) => headers.get("x-wall-key") !== "k3y"), []);
  const given = looks.other.filter((headers) => headers.has("x-wall-key") || headers.has("cookie"));
  assert.deepEqual(given.map((headers) => [...headers]), []);
});
