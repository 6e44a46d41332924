/**
 * Makes the pages of one tab look as a stream's settings want, by settings that last as long as a DevTools session.
 * Settings that last without a session are set at the browser's start (lib/live/programs/commands/browser.ts, profile_settings.ts).
 */
import { mayReceivePassword } from "../../../model/login_origins.ts";
import {
  COOKIE_BANNERS,
  languagesOf,
  linesOf,
  parseCookies,
  parseHeaders,
} from "../../../model/page_settings.ts";
import type { StreamFields } from "../../../model/schema.ts";
import type { DevTools } from "../../../browser/client.ts";

export type PageSettings = Pick<
  StreamFields,
  | "url"
  | "loginOrigins"
  | "css"
  | "js"
  | "hideBanners"
  | "hideSelectors"
  | "userAgent"
  | "language"
  | "colorScheme"
  | "extraHeaders"
  | "extraCookies"
>;

/** Answers the servers that ask a tab's pages for a login. */
export interface Answerer {
  answer(page: DevTools, params: Record<string, unknown>): void;
}

/** The world of our code: the page's scripts have changed nothing there, and cannot see the code. */
const WORLD = "browser-stream-settings";

/** In that world, in each document of the tab: hides the selectors' elements, and adds the style sheet. */
function style(selectors: string[], css: string): void {
  const hidden = new CSSStyleSheet();
  for (const selector of selectors) {
    try {
      hidden.insertRule(`${selector} { display: none !important; }`, hidden.cssRules.length);
    } catch {
      console.error(`The stream's settings: "${selector}" is not a CSS selector.`);
    }
  }
  const own = new CSSStyleSheet();
  own.replaceSync(css);
  const wear = () => {
    const worn = document.adoptedStyleSheets;
    if (!worn.includes(own)) document.adoptedStyleSheets = [...worn, hidden, own];
  };
  wear();
  // a page may set its own list of sheets while it loads
  document.addEventListener("DOMContentLoaded", wear);
  addEventListener("load", wear);
}

/** The stream's script, once the document is there; not in frames, and not on the browser's own pages. */
function scriptSource(js: string): string {
  return `if (window === top && location.protocol.startsWith("http")) {
  const run = () => {
    try { (() => {\n${js}\n})(); } catch (error) { console.error("The stream's script: " + error); }
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", run, { once: true });
  else run();
}`;
}

/** Whether the settings need a session. */
export function isDressed(settings: PageSettings): boolean {
  const { css, js, hideBanners, hideSelectors, userAgent, language, colorScheme } = settings;
  const { extraHeaders, extraCookies } = settings;
  return hideBanners || colorScheme !== "auto" ||
    [css, js, hideSelectors, userAgent, language, extraHeaders, extraCookies].some((text) => text !== "");
}

/**
 * Sets all settings, for as long as the page's session lasts.
 * @param tell takes each refusal of the browser, in words; the other settings are still set.
 * @param auth answers the servers that ask for a login.
 */
export async function dress(
  page: DevTools,
  settings: PageSettings,
  tell: (text: string) => void,
  auth: Answerer | null = null,
): Promise<void> {
  const { css, js, hideBanners, hideSelectors, userAgent, language, colorScheme, extraHeaders } = settings;
  const set = (what: string, method: string, params: Record<string, unknown>) =>
    page.send(method, params).catch((error) => tell(`The page's ${what} could not be set: ${error.message}`));
  const onNewDocument = (what: string, source: string) =>
    set(what, "Page.addScriptToEvaluateOnNewDocument", { source, worldName: WORLD });
  await page.send("Page.enable");
  const selectors = [...hideBanners ? Object.values(COOKIE_BANNERS) : [], ...linesOf(hideSelectors)];
  if (selectors.length > 0 || css !== "") {
    await onNewDocument("style", `(${style})(${JSON.stringify(selectors)}, ${JSON.stringify(css)})`);
  }
  // a source of its own: a mistake in the script must not take the style sheet away
  if (js !== "") await onNewDocument("script", scriptSource(js));
  if (userAgent !== "") await set("user agent", "Emulation.setUserAgentOverride", { userAgent });
  const [locale] = languagesOf(language);
  if (locale !== undefined) await set("language", "Emulation.setLocaleOverride", { locale });
  if (colorScheme !== "auto") {
    const features = [{ name: "prefers-color-scheme", value: colorScheme }];
    await set("colours", "Emulation.setEmulatedMedia", { features });
  }
  await set("cookies", "Network.setCookies", { cookies: cookiesOf(settings) });
  if (extraHeaders !== "" || auth) await watchRequests(page, settings, auth);
}

function cookiesOf({ url, extraCookies }: PageSettings) {
  return (parseCookies(extraCookies) ?? []).map(([name, value]) => ({ name, value, url }));
}

interface Paused {
  requestId: string;
  request: { url: string; headers: Record<string, string> };
}

/** The parameters that continue a request: only the stream's own sites get the headers. Pure. */
export function continued(
  { requestId, request }: Paused,
  { url, loginOrigins, extraHeaders }: Pick<PageSettings, "url" | "loginOrigins" | "extraHeaders">,
): Record<string, unknown> {
  const extra = parseHeaders(extraHeaders) ?? [];
  const names = new Set(extra.map(([name]) => name.toLowerCase()));
  const isOwn = URL.canParse(request.url) &&
    mayReceivePassword(new URL(request.url).origin, url, loginOrigins);
  const others = Object.entries(request.headers).filter(([name]) => !names.has(name.toLowerCase()));
  // a redirect to another site has the headers of the request before
  const hasExtra = others.length < Object.keys(request.headers).length;
  if (!isOwn && !hasExtra) return { requestId };
  const headers = [...others, ...isOwn ? extra : []].map(([name, value]) => ({ name, value }));
  return { requestId, headers };
}

/**
 * With extra headers every request waits for us: no other way keeps the headers from other sites. Without extra headers
 * only documents wait, as the answer to a login needs.
 */
async function watchRequests(
  page: DevTools,
  settings: PageSettings,
  auth: Answerer | null,
): Promise<void> {
  page.listen((method, params) => {
    if (method === "Fetch.authRequired") return auth?.answer(page, params);
    if (method !== "Fetch.requestPaused") return;
    page.send("Fetch.continueRequest", continued(params as unknown as Paused, settings)).catch(() => {});
  });
  const type = settings.extraHeaders === "" ? { resourceType: "Document" } : {};
  await page.send("Fetch.enable", {
    patterns: [{ urlPattern: "*", ...type }],
    handleAuthRequests: auth !== null,
  });
}
