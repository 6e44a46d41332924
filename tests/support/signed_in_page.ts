/** Asked for by the page when its cookie is there; an answer that is on its way when a browser is ended sets none. */
const STORED = "/stored";

/** A page that knows its browser by a cookie, which is another one at each visit. */
export interface SignedInPage extends AsyncDisposable {
  url: string;
  /** The cookies that came, in order: "" of a browser that the page does not know. */
  cookies: string[];
  /** Those that the browser had stored when it showed the page. */
  stored: string[];
}

export function serveSignedInPage(): SignedInPage {
  const cookies: string[] = [];
  const stored: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    const cookie = request.headers.get("cookie") ?? "";
    if (pathname === STORED) stored.push(cookie);
    if (pathname !== "/") return new Response("not found", { status: 404 });
    cookies.push(cookie);
    const headers = { "content-type": "text/html", "set-cookie": `visit=${cookies.length}; Max-Age=86400` };
    return new Response(`<!doctype html><body style="background: #d02060"><img src="${STORED}">`, {
      headers,
    });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    cookies,
    stored,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
