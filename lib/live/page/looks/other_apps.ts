/**
 * Keeps a page in place when the page asks for another program, as by mailto: or zoommtg:. No such program is here, and
 * Chromium, whose policies allow only web addresses, would show "This page is blocked" instead of the page.
 */
import type { DevTools } from "../../../browser/client.ts";
import { inEachDocument } from "../../../browser/document.ts";

/** The world of our code, out of reach of the page's scripts. */
const WORLD = "browser-stream-apps";
const BINDING = "browserStreamAppAsked";

/** Runs in that world, in each document of the tab. */
function stay(binding: string): void {
  const OWN = /^(?:https?|about|blob|data|javascript|filesystem):/i;
  interface Navigation extends Event {
    destination: { url: string };
  }
  const tell = (scheme: string, tries = 20) => {
    const told = (globalThis as unknown as Record<string, ((text: string) => void) | undefined>)[binding];
    if (told) told(scheme);
    // the first page of a browser is there before the binding is
    else if (tries > 0) setTimeout(tell, 500, scheme, tries - 1);
  };
  const { navigation } = globalThis as unknown as { navigation?: EventTarget };
  const schemeOf = (url: string) => /^[a-z][a-z0-9+.-]{0,40}/i.exec(url)?.[0].toLowerCase() ?? "";

  // a frame on the way to such an address does not run this script yet, and the browser would ask in a dialog
  const limitFrames = () => {
    const meta = document.createElement("meta");
    meta.httpEquiv = "Content-Security-Policy";
    meta.content = "frame-src http: https: about: blob: data: filesystem: chrome-extension:";
    document.head.append(meta);
    meta.remove(); // the policy stays
  };
  if (document.head) limitFrames();
  else {
    new MutationObserver((_, observer) => {
      if (!document.head) return;
      observer.disconnect();
      limitFrames();
    }).observe(document, { childList: true, subtree: true });
  }
  document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
    if (effectiveDirective === "frame-src" && !OWN.test(`${blockedURI}:`)) tell(schemeOf(blockedURI));
  });

  navigation?.addEventListener("navigate", (event) => {
    const { url } = (event as Navigation).destination;
    if (OWN.test(url)) return;
    event.preventDefault();
    tell(schemeOf(url));
  });
}

/** Acts on documents opened from now on, until the connection ends. */
export function stayInBrowser(page: DevTools): Promise<void> {
  return inEachDocument(page, WORLD, `(${stay})(${JSON.stringify(BINDING)})`);
}

/**
 * Lets `schemeAsked` find the schemes that a page asks for where `stayInBrowser` acts, by whatever connection. The Runtime
 * domain has to be enabled.
 */
export async function watchApps(page: DevTools): Promise<void> {
  await page.send("Runtime.addBinding", { name: BINDING, executionContextName: WORLD });
}

/** The scheme of the program that an address leads to, such as "mailto"; null: the address is for a browser. */
export function appScheme(url: string): string | null {
  const OWN =
    /^(?:https?|about|blob|data|javascript|filesystem|file|chrome|chrome-[a-z]+|devtools|view-source)$/;
  const scheme = /^([a-z][a-z0-9+.-]{0,40}):/i.exec(url)?.[1].toLowerCase() ?? null;
  return scheme === null || OWN.test(scheme) ? null : scheme;
}

/** The scheme that an event says a page asked for, such as "mailto"; null for all other events. */
export function schemeAsked(method: string, params: Record<string, unknown>): string | null {
  if (method !== "Runtime.bindingCalled" || params.name !== BINDING) return null;
  // a frame of another process could say anything
  return /^[a-z][a-z0-9+.-]{0,40}$/.exec(String(params.payload))?.[0] ?? null;
}
