/** A machine whose only way out is a company's proxy that asks for a login. */
import { strict as assert } from "node:assert";
import { wayOutOf } from "../../../lib/reach/way_out.ts";
import { HttpLogin } from "../../../lib/signin/http.ts";
import { loneBrowser } from "../../support/lone_browser.ts";
import { companyProxy } from "../../support/company_proxy.ts";
import { RemoteBrowser } from "../../support/remote_browser.ts";
import { until } from "../../support/same.ts";
import { sharedService, SMALLEST } from "../../support/service.ts";

/** Names that the proxy alone knows. */
const NAMES: Record<string, number> = {};
const LOGIN = "anna:far out";

const site = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  ({ url, headers }) =>
    url.endsWith("/asks") && headers.get("authorization") !== `Basic ${btoa("ops:own")}`
      ? new Response("", { status: 401, headers: { "www-authenticate": 'Basic realm="far"' } })
      : new Response(`<title>${new URL(url).pathname}</title><body style="background:green">`, {
        headers: { "content-type": "text/html" },
      }),
);
NAMES["far.test"] = NAMES["near.test"] = site.addr.port;

const proxy = companyProxy(NAMES, LOGIN);
const ADDRESS = `http://anna:far%20out@127.0.0.1:${proxy.port}`;

globalThis.addEventListener("unload", () => proxy.stop());

const serviceTest = sharedService({
  env: { HTTP_PROXY: ADDRESS, HTTPS_PROXY: ADDRESS, NO_PROXY: "near.test" },
  streams: { ...SMALLEST, audio: false },
});

const title = (browser: RemoteBrowser) => browser.evaluate<string>("document.title").catch(() => "");

serviceTest(
  "a page goes out by the proxy, which gets its login; what is near, and what is here, does not",
  async (service) => {
    const { PORT } = service.env;
    await using stream = await service.temporaryStream({
      name: "Far",
      url: "http://far.test/first",
      user: "u",
      pass: "p",
    });
    const browser = new RemoteBrowser(service, stream.id);
    await until("the page", async () => await title(browser) === "/first");
    assert.ok(proxy.refused > 0, "it asked for a login");
    await using page = await browser.page();
    const ask = async (...urls: string[]) => {
      const all = urls.map((url) => `fetch(${JSON.stringify(url)}, { mode: "no-cors" }).catch(() => {})`);
      await page.evaluate(`Promise.all([${all}]).then(() => 1)`, { awaitPromise: true });
      // without what Chromium and Deno ask for themselves
      return [...proxy.asked].filter((one) => !/\b(google|googleapis|deno)\.[a-z]+:/.test(one)).sort();
    };
    const here = ["127.0.0.1", "localhost", Deno.hostname(), "[::1]"].map((host) =>
      `http://${host}:${PORT}/`
    );
    const kept = [...here, "http://169.254.169.254/", "http://192.168.1.1/", "http://near.test/"];
    assert.deepEqual(await ask(...kept), ["GET far.test:80"]);
    const asked = await ask("https://far.test/secure", "http://other.test/");
    assert.deepEqual(asked, ["CONNECT far.test:443", "GET far.test:80", "GET other.test:80"]);
  },
);

Deno.test("a sign-in that is the first to be asked gives a proxy its login, and a server its own", async () => {
  const url = "http://far.test/";
  const way = wayOutOf({ HTTP_PROXY: `127.0.0.1:${proxy.port}`, HTTPS_PROXY: "", NO_PROXY: [] });
  await using browser = await loneBrowser(url, {}, way);
  const [target] = await browser.control.pages();
  await using page = await browser.control.connect(target);
  const proxyLogin = { places: [`127.0.0.1:${proxy.port}`], user: "anna", pass: "far out" };
  const login = { url, loginOrigins: "", user: "ops", pass: "own", proxyLogin };
  await new HttpLogin(login, { elapsed: () => performance.now() }).watch(page);
  await page.send("Page.navigate", { url: `${url}asks` });
  await until("the page", async () => await page.evaluate("document.title") === "/asks");
});
