/** A local web page to stream, and the requests it got. */
const folder = new URL("../fixtures/", import.meta.url);

export interface TestPages extends AsyncDisposable {
  /** The clock page: #d02060 background, running clock, moving colours, a tone. */
  url: string;
  /** Paths asked for so far. */
  requests: string[];
}

/** Serves tests/fixtures on a free loopback port. */
export function servePages(): TestPages {
  const requests: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    requests.push(pathname);
    const name = pathname === "/" ? "clock.html" : pathname.slice(1);
    if (!/^[a-z-]+\.html$/.test(name)) return new Response("not found", { status: 404 });
    const text = await Deno.readTextFile(new URL(name, folder)).catch(() => null);
    return new Response(text ?? "not found", {
      status: text === null ? 404 : 200,
      headers: { "content-type": "text/html" },
    });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
