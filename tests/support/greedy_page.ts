/** A page that stores more than it may. */

/** What the page does: 1 MiB at a time, by turns in a cache and in a database, as long as it is let. */
const STORE = `
const MIB = 1 << 20;
function megabyte() {
  const bytes = new Uint8Array(MIB); // random: some file systems make nothing of zeros
  for (let at = 0; at < MIB; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
  return new Blob([bytes]);
}
const opening = indexedDB.open("greed");
opening.onupgradeneeded = () => opening.result.createObjectStore("blobs");
opening.onsuccess = async () => {
  const cache = await caches.open("greed");
  for (let number = 0;; number++) {
    if (number % 2) await cache.put("/" + number, new Response(megabyte()));
    else {
      await new Promise((done, failed) => {
        const turn = opening.result.transaction("blobs", "readwrite");
        turn.objectStore("blobs").put(megabyte(), number);
        turn.oncomplete = done;
        turn.onabort = () => failed(turn.error);
      });
    }
    if (!(await fetch("/stored", { method: "POST" })).ok) return;
  }
};
`;

export interface GreedyPage extends AsyncDisposable {
  url: string;
  /** Whether the page stores. */
  isGreedy: boolean;
  /** MiB that were stored so far. */
  stored: number;
  /** How often the page was opened. */
  opened: number;
}

export function serveGreedyPage(): GreedyPage {
  // without async work: a browser asks whenever it likes
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/stored") {
      page.stored++;
      return new Response(null, { status: page.isGreedy ? 200 : 410 });
    }
    if (pathname !== "/") return new Response("not found", { status: 404 });
    page.opened++;
    const script = page.isGreedy ? `<script>${STORE}</script>` : "";
    const html = `<!doctype html><title>Greed</title><body style="background:#d02060">Mine${script}`;
    return new Response(html, { headers: { "content-type": "text/html" } });
  });
  const page: GreedyPage = {
    url: `http://127.0.0.1:${server.addr.port}/`,
    isGreedy: true,
    stored: 0,
    opened: 0,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return page;
}
