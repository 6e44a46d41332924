/** A web server of somebody else: pages that try what they must not. */
import { readFixture } from "./page.ts";

export interface HostilePages extends AsyncDisposable {
  url: string;
  /** What was asked for: paths. */
  requests: string[];
  /** What tests/fixtures/hostile.html found out. */
  reports: { what: string; got: string }[][];
}

export function serveHostile(): HostilePages {
  const reports: HostilePages["reports"] = [];
  const requests: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const url = new URL(request.url);
    requests.push(url.pathname);
    if (url.pathname === "/report") {
      reports.push(await request.json());
      return new Response("thanks");
    }
    if (url.pathname === "/download") {
      return new Response("x", { headers: { "content-disposition": "attachment; filename=taken.txt" } });
    }
    const name = url.pathname === "/hostile" ? "hostile.html" : "static.html";
    return new Response(readFixture(name), { headers: { "content-type": "text/html" } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    requests,
    reports,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
