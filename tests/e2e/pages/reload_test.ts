/** A page that is reloaded is the page as it is on its server, whatever the browser keeps of it. */
import { reloadPage } from "../../../lib/live/page/autoreload.ts";
import { openPage } from "../../../lib/browser/open_page.ts";
import { sharedBrowser } from "../../support/lone_browser.ts";
import { same, until } from "../../support/same.ts";

/** Browsers let no page but those of this machine have service workers without TLS. */
const [SITE, OTHER, OFFLINE] = ["wall.localhost", "other.localhost", "offline.localhost"];

/** What the pages consist of, each with its type and text, and how long browsers may keep it. */
const PARTS: Record<string, [type: string, text: (port: number) => string, keep?: string]> = {
  "picture.svg": ["image/svg+xml", () => `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`],
  "ground.svg": ["image/svg+xml", () => `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`],
  "style.css": [
    "text/css",
    () =>
      `@font-face { font-family: f; src: url(font) } body { font-family: f; background: url(ground.svg) }`,
  ],
  "font": ["font/woff2", () => "none"],
  "script.js": ["text/javascript", () => "1", "public, max-age=31536000, immutable"],
  "module.js": ["text/javascript", () => "1"],
  "worker.js": ["text/javascript", () => "1"],
  "data": ["application/json", () => "1"],
  "frame": ["text/html", () => `<img src="framed.svg">frame`],
  "framed.svg": ["image/svg+xml", () => `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`],
  "late.svg": ["image/svg+xml", () => `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`],
  "served.svg": ["image/svg+xml", () => `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`],
  "page": [
    "text/html",
    (port) =>
      `<!doctype html><title>Menu</title><link rel="stylesheet" href="style.css"><img src="picture.svg">
      <iframe src="frame"></iframe><iframe src="http://${OTHER}:${port}/frame"></iframe><script src="script.js"></script>
      <script type="module" src="module.js"></script><script>new Worker("worker.js");
      fetch("data");
      addEventListener("load", () => setTimeout(() => document.body.append(Object.assign(new Image(), { src: "late.svg" })), 500));
      </script>text`,
  ],
  "offline": [
    "text/html",
    () =>
      `<!doctype html><title>Offline</title><img src="served.svg">text<script>
      navigator.serviceWorker.register("keeps.js");</script>`,
    "no-cache",
  ],
  // asks for each thing once, for good
  "keeps.js": [
    "text/javascript",
    () =>
      `oninstall = () => skipWaiting(); onactivate = (event) => event.waitUntil(clients.claim());
      onfetch = (event) => event.respondWith(caches.open("all").then(async (kept) => {
        const hit = await kept.match(event.request);
        if (hit) return hit;
        const answer = await fetch(event.request);
        await kept.put(event.request, answer.clone());
        return answer;
      }));`,
    "no-cache",
  ],
};

const asked: string[] = [];
let port = 0;
const browser = sharedBrowser((after) => {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { hostname, pathname } = new URL(request.url);
    const name = pathname.slice(1);
    if (!Object.hasOwn(PARTS, name)) return new Response("", { status: 404 });
    asked.push(hostname === OTHER ? `${name} of another site` : name);
    const [type, text, keep = "public, max-age=86400"] = PARTS[name];
    return new Response(text(port), { headers: { "content-type": type, "cache-control": keep } });
  });
  after.defer(() => server.shutdown());
  port = server.addr.port;
  const place = [{ port, space: "public" as const }];
  return Promise.resolve({ [SITE]: place, [OTHER]: place, [OFFLINE]: place });
});

async function open(name: string): Promise<void> {
  await using page = await browser().control.connectFirst();
  await openPage(page, urlOf(name));
}

const urlOf = (name: string) => `http://${name === "offline" ? OFFLINE : SITE}:${port}/${name}`;

/** The ways by which a page is reloaded: by the interval, and by a person. */
const RELOADS: Record<string, (name: string) => Promise<void>> = {
  "auto-reload": () =>
    reloadPage({
      browser: browser().control,
      minutes: 1,
      showsBroken: false,
      acceptedStatuses: [],
      openCover: () => Promise.reject(new Error("there is no display")),
      isTakenOver: () => Promise.resolve(true),
    }, new AbortController().signal),
  "Reload": async (name) => {
    await using page = await browser().control.connectFirst();
    await openPage(page, urlOf(name), { isReload: true });
  },
};

const ALL = Object.keys(PARTS).filter((name) => !/offline|served|keeps/.test(name))
  .concat("frame of another site", "framed.svg of another site").sort();

const missing = (wanted: string[]) => wanted.filter((name) => !asked.includes(name));

for (const [way, reload] of Object.entries(RELOADS)) {
  Deno.test(`${way} asks the page's server for all that the page consists of`, async () => {
    await open("page");
    await until("the page", async () => {
      await using page = await browser().control.connectFirst();
      return await page.evaluate(`document.title === "Menu" && document.images.length > 1`);
    });
    asked.length = 0;
    await reload("page");
    await same(() => missing(ALL).join(), "");
  });

  Deno.test(`${way} asks the page's server, and not the page's service worker`, async () => {
    await open("offline");
    await using page = await browser().control.connectFirst();
    const isKept = `navigator.serviceWorker.controller !== null &&
      caches.open("all").then((kept) => kept.match("served.svg")).then((hit) => hit !== undefined)`;
    await until("the service worker to keep it", async () => {
      const is = await page.evaluate<boolean>(isKept, { awaitPromise: true }).catch(() => false);
      if (!is) await page.evaluate("location.reload()").catch(() => {});
      return is;
    });
    asked.length = 0;
    await reload("offline");
    await same(() => missing(["offline", "served.svg"]), []);
  });
}
