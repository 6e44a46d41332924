/** WebRTC where the kernel does not judge what it sends: no document of a page has it, however the page makes it. */
import assert from "node:assert/strict";
import { loneBrowser } from "../../support/lone_browser.ts";
import { same, until } from "../../support/same.ts";

/** Says to the page at the top whether there is WebRTC. */
const saysFor = (kind: string) =>
  `top.postMessage(["${kind}", typeof RTCPeerConnection + typeof webkitRTCPeerConnection], "*");`;
const documentOf = (kind: string) => `<script>${saysFor(kind)}</scr` + `ipt>`;
/** A text for a script in a page. */
const quoted = (text: string) => JSON.stringify(text).replaceAll("</", "<\\/");

const WORKER = 'addEventListener("fetch", (event) => event.respondWith(new Response("made")));';

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
frame({ src: blob('<html xmlns="http://www.w3.org/1999/xhtml"><script>' + ${
  quoted(saysFor("XML"))
} + "</scr" + "ipt></html>", "text/xml") });
// what it answers would be documents that no rule has seen
navigator.serviceWorker.register("/worker.js").then(() => "registered", ({ name }) => name).then((is) => seen["a service worker"] = is);
</script>`;

const KINDS = [
  ...["the page", "empty", "written", "srcdoc", "sandboxed srcdoc", "data", "sandboxed blob", "blob"],
  ...["picture", "other site", "sandboxed", "script's address", "object", "XML"],
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
    return [...KINDS, "a service worker"].filter((kind) => !(kind in found));
  };
  await same(silent, [], "documents that have not said a word");
  assert.deepEqual(await seen(), {
    ...Object.fromEntries(KINDS.map((kind) => [kind, "undefinedundefined"])),
    "a service worker": "SecurityError",
  });
});

/** Windows that a page gets before their documents are loaded. */
const EMPTY: Record<string, string> = {
  "the page": "window",
  "an address": `frame({ src: "/other" })`,
  "a lazy one": `frame({ src: "/other", loading: "lazy" })`,
  "no address": "frame()",
  "about:blank": `frame({ src: "about:blank" })`,
  "about:srcdoc": `frame({ srcdoc: "<p>" })`,
  "srcdoc with a policy": `frame({ srcdoc: "<p>", csp: "script-src 'self'" })`,
  "a script's address": `frame({ src: "javascript:'<p>'" })`,
  "data:": `frame({ src: "data:text/html,<p>" })`,
  ...Object.fromEntries(
    ["html", "plain", "xml", "css", "javascript"].map((
      type,
    ) => [`blob: of text/${type}`, blobOf(`text/${type}`)]),
  ),
  "blob: of a picture": blobOf("image/svg+xml"),
  "blob: of a document": blobOf("application/pdf"),
  "a redirect": `frame({ src: "/redirect" })`,
  "another site": `frame({ src: "http://other.localhost:" + location.port + "/other" })`,
  "a sandbox": `frame({ src: "/other", sandbox: "allow-scripts allow-same-origin" })`,
  "a nested one": `frame({ src: "/other" }, frame({ src: "/other" }).document.documentElement)`,
  "one in a shadow": `frame({ src: "/other" }, document.body.attachShadow({ mode: "open" }))`,
  "one adopted": `frame({ src: "/other" }, document.adoptNode(frame().document.documentElement))`,
  "an object": `made("object", { data: "/other", type: "text/html" })`,
  "an embedded one": `made("embed", { src: "/other", type: "text/html" })`,
  "one opened again":
    `(() => { const view = frame({ src: "/other" }); view.document.open(); return view; })()`,
  "one that is left":
    `(() => { const view = frame({ src: "/other" }); view.location = "/sandboxed"; return view; })()`,
  "a frame of a frame set": `(() => {
    document.body.replaceWith(Object.assign(document.createElement("frameset"), { innerHTML: "<frame src=/other>" }));
    return window[0];
  })()`,
};

function blobOf(type: string): string {
  return `frame({ src: URL.createObjectURL(new Blob(["<p/>"], { type: ${JSON.stringify(type)} })) })`;
}

/** A page that takes WebRTC from a window at once, and asks a TURN server by TCP. */
const asking = (view: string, turn: number) =>
  `<!doctype html><body><script>
const made = (name, fields, parent = document.body) => {
  parent.append(Object.assign(document.createElement(name), fields));
  return window[window.length - 1];
};
const frame = (fields = {}, parent = document.body) => {
  const one = Object.assign(document.createElement("iframe"), fields);
  parent.append(one);
  return one.contentWindow;
};
(async () => {
  const Connection = (${view}).RTCPeerConnection;
  if (Connection) {
    const servers = [{ urls: "turn:turn.test:${turn}?transport=tcp", username: "u", credential: "c" }];
    const connection = globalThis.kept = new Connection({ iceServers: servers });
    connection.createDataChannel("x");
    await connection.setLocalDescription(await connection.createOffer());
  }
})().catch(() => {}).finally(() => document.title = "tried");
// what is made in a document that is gone by then never ends
addEventListener("load", () => document.title = "tried");
</script>`;

Deno.test("no byte of a page's TURN comes to this machine, from whatever document the page takes WebRTC", async () => {
  const asked: string[] = [];
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const turn = listener.addr.port;
  const taking = (async () => {
    for await (const connection of listener) {
      const bytes = new Uint8Array(1000);
      const count = await connection.read(bytes).catch(() => null) ?? 0;
      const text = new TextDecoder().decode(bytes.subarray(0, count));
      if (count > 0) asked.push(text.startsWith("GET") ? "GET" : "TURN");
      connection.close();
    }
  })();
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/redirect") return new Response(null, { status: 302, headers: { location: "/other" } });
    const view = EMPTY[searchParams.get("row") ?? ""];
    // a site may have a way of its own
    const headers = { "content-type": "text/html", "connection-allowlist": '("*://*:*/*"); webrtc=allow' };
    return new Response(view ? asking(view, turn) : "<p>other", { headers });
  });
  const { port } = server.addr;
  const public_ = (at: number) => [{ port: at, space: "public" as const }];
  const url = `http://page.test:${port}/`;
  const names = { "page.test": public_(port), "other.localhost": public_(port), "turn.test": public_(turn) };
  await using browser = await loneBrowser(url, names, null, true);
  await using page = await browser.control.connectFirst();
  let crash = Promise.withResolvers<void>();
  page.listen((method) => method === "Inspector.targetCrashed" && crash.resolve());
  await page.send("Inspector.enable");
  const wrong: string[] = [];
  for (const row of Object.keys(EMPTY)) {
    const before = asked.length;
    crash = Promise.withResolvers();
    await page.send("Page.navigate", { url: `${url}?row=${encodeURIComponent(row)}` });
    // Chromium ends the process of a document that asks for what the header forbids
    const crashed = crash.promise.then(() => true);
    const hasTried = () =>
      page.evaluate<string>("document.title").then((title) => title === "tried", () => false);
    await until(`the page to have tried: ${row}`, () => Promise.race([crashed, hasTried()]));
    if (asked.length > before) wrong.push(row);
  }
  // by the same process of the browser, behind all that was asked
  await page.send("Page.navigate", { url: `http://turn.test:${turn}/` });
  await until("the last question", () => Promise.resolve(asked.includes("GET")));
  assert.deepEqual({ wrong, asked: new Set(asked) }, { wrong: [], asked: new Set(["GET"]) });
  listener.close();
  await taking;
});
