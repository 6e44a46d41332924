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
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    requests.push(pathname);
    const name = pathname === "/" ? "clock.html" : pathname.slice(1);
    if (!/^[a-z-]+\.html$/.test(name)) return new Response("not found", { status: 404 });
    const text = readFixture(name);
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

/** At once: a browser asks whenever it likes, and a read under way at the end of a test would count as that test's leak. */
export function readFixture(name: string): string | null {
  try {
    return Deno.readTextFileSync(new URL(name, folder));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
