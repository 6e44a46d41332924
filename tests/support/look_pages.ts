/** A page that tells how it is looked at, with what its server and another one were sent. */

export interface LookPages extends AsyncDisposable {
  url: string;
  /** The headers of all requests to the page's own site, and to the other one. */
  own: Headers[];
  other: Headers[];
}

const PAGE = (other: string) =>
  `<!doctype html><title>Looks</title><body>
<div id="onetrust-consent-sdk">We value your privacy</div><div class="ad">Buy</div><p>Figures</p>
<script>var ofThePage = 1;</script><img src="/away"><img src="${other}direct">`;

/** What the page sees of the settings, as an expression for its own world. */
export const SEEN = `({
  zoom: devicePixelRatio,
  banner: getComputedStyle(document.querySelector("#onetrust-consent-sdk")).display,
  ad: getComputedStyle(document.querySelector(".ad")).display,
  colour: getComputedStyle(document.body).backgroundColor,
  script: document.documentElement.dataset.script,
  ofTheScript: typeof ofTheScript,
  agent: navigator.userAgent,
  languages: navigator.languages.join(),
  number: (1.5).toLocaleString(),
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  isDark: matchMedia("(prefers-color-scheme: dark)").matches,
  cookie: document.cookie,
})`;

/** Where a browser is that has not got that far. */
export const PLACE = "`${document.readyState} ${location.href}: ${document.body?.innerText}`";

interface Site {
  name: string;
  port: number;
}

const HERE: Site = { name: "127.0.0.1", port: 0 };

/** Serves the page, whose images lead to another site: one at once, one by a redirect. */
export function serveLooks({ site = HERE, elsewhere = HERE } = {}): LookPages {
  const [own, other]: Headers[][] = [[], []];
  const at = ({ port }: Site) => ({ hostname: "127.0.0.1", port, onListen: () => {} });
  const otherServer = Deno.serve(at(elsewhere), ({ headers }) => {
    other.push(headers);
    return new Response("", { status: 404 });
  });
  const otherUrl = `http://${elsewhere.name}:${otherServer.addr.port}/`;
  const server = Deno.serve(at(site), (request) => {
    own.push(request.headers);
    if (new URL(request.url).pathname === "/away") return Response.redirect(`${otherUrl}redirected`, 302);
    return new Response(PAGE(otherUrl), { headers: { "content-type": "text/html" } });
  });
  return {
    url: `http://${site.name}:${server.addr.port}/`,
    own,
    other,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([server.shutdown(), otherServer.shutdown()]);
    },
  };
}
