/** WebRTC where the kernel does not judge what it sends: no document of a page has it, however the page makes it. */
import assert from "node:assert/strict";
import { loneBrowser } from "../../support/lone_browser.ts";
import { same } from "../../support/same.ts";

/** Says to the page at the top whether there is WebRTC. */
const saysFor = (kind: string) =>
  `top.postMessage(["${kind}", typeof RTCPeerConnection + typeof webkitRTCPeerConnection], "*");`;
const documentOf = (kind: string) => `<script>${saysFor(kind)}</scr` + `ipt>`;
/** A text for a script in a page. */
const quoted = (text: string) => JSON.stringify(text).replaceAll("</", "<\\/");

const WORKER = `
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));
self.addEventListener("fetch", (event) => {
  if (!event.request.url.endsWith("/made")) return;
  const made = new Response(${
  quoted(documentOf("made by a worker"))
}, { headers: { "content-type": "text/html" } });
  event.respondWith(made);
});`;

const PAGE = `<!doctype html><body><script>
const seen = {};
onmessage = ({ data: [kind, is] }) => seen[kind] = is;
${saysFor("the page")}
const frame = (fields = {}) => document.body.appendChild(Object.assign(document.createElement("iframe"), fields));
const typesIn = (view) => typeof view.RTCPeerConnection + typeof view.webkitRTCPeerConnection;
const blob = (text, type = "text/html") => URL.createObjectURL(new Blob([text], { type }));
const sandbox = "allow-scripts";
const srcdoc = (kind) => ${quoted(documentOf("KIND"))}.replace("KIND", kind);
// before anything is loaded there
seen.empty = typesIn(frame().contentWindow);
const written = frame().contentDocument;
written.write(srcdoc("written"));
written.close();
frame({ srcdoc: srcdoc("srcdoc") });
frame({ sandbox, srcdoc: srcdoc("sandboxed srcdoc") });
frame({ src: "data:text/html," + encodeURIComponent(srcdoc("data")) });
frame({ sandbox, src: blob(srcdoc("sandboxed blob")) });
frame({ src: blob(srcdoc("blob")) });
frame({ src: blob('<svg xmlns="http://www.w3.org/2000/svg"><script>' + ${
  quoted(saysFor("picture"))
} + "</scr" + "ipt></svg>", "image/svg+xml") });
frame({ src: "http://other.localhost:" + location.port + "/other" });
frame({ src: "/sandboxed" });
frame({ src: "javascript:" + JSON.stringify(srcdoc("script's address")) });
document.body.appendChild(Object.assign(document.createElement("object"), { data: blob(srcdoc("object")), type: "text/html" }));
navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready).then(() => frame({ src: "/made" }));
</script>`;

const KINDS = [
  ...["the page", "empty", "written", "srcdoc", "sandboxed srcdoc", "data", "sandboxed blob", "blob"],
  ...["picture", "other site", "sandboxed", "script's address", "object", "made by a worker"],
];

Deno.test("no document of a page has WebRTC where it is taken, however the page makes the document", async () => {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    const answer = (text: string, type = "text/html", more = {}) =>
      new Response(text, { headers: { "content-type": type, ...more } });
    if (pathname === "/worker.js") return answer(WORKER, "text/javascript");
    if (pathname === "/other") return answer(documentOf("other site"));
    if (pathname === "/sandboxed") {
      return answer(documentOf("sandboxed"), "text/html", {
        "content-security-policy": "sandbox allow-scripts",
      });
    }
    return answer(PAGE);
  });
  const { port } = server.addr;
  const place = [{ port, space: "public" as const }];
  const url = `http://page.localhost:${port}/`;
  await using browser = await loneBrowser(
    url,
    { "page.localhost": place, "other.localhost": place },
    null,
    true,
  );
  await using page = await browser.control.connectFirst();
  await page.send("Page.navigate", { url });
  const seen = () =>
    page.evaluate<Record<string, string>>("seen").catch(() => ({} as Record<string, string>));
  const silent = async () => {
    const found = await seen();
    return KINDS.filter((kind) => !(kind in found));
  };
  await same(silent, [], "documents that have not said a word");
  assert.deepEqual(await seen(), Object.fromEntries(KINDS.map((kind) => [kind, "undefinedundefined"])));
});
