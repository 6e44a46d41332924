/** A page that knows its browser by a cookie, which is another one at each visit. */
export interface SignedInPage extends AsyncDisposable {
  url: string;
  /** The cookies that came, in order: "" of a browser that the page does not know. */
  cookies: string[];
}

export function serveSignedInPage(): SignedInPage {
  const cookies: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    if (new URL(request.url).pathname !== "/") return new Response("not found", { status: 404 });
    cookies.push(request.headers.get("cookie") ?? "");
    const headers = { "content-type": "text/html", "set-cookie": `visit=${cookies.length}; Max-Age=86400` };
    return new Response(`<!doctype html><body style="background: #d02060">`, { headers });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    cookies,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
