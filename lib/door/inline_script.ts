/** The only inline script of the service, and what allows just this one. */
import { createHash } from "node:crypto";

/** What televisions and the boxes beside them call themselves; AFT… is Amazon's, CrKey Google's. */
const TELEVISIONS =
  "smart-?tv|web0s|tizen|hbbtv|netcast|googletv|android tv|bravia|viera|vidaa|roku|appletv|crkey|aft[a-z0-9]+ build";

/**
 * Puts the viewer's card size and theme on `<html>` before the first paint, and hides the cards of the board's closed
 * sections (a filter opens them), so that nothing jumps or flashes. `data-tv` is on a television: by its name, or since
 * it has neither mouse nor touch. As a file it would be a second request that blocks
 * rendering. Anything odd in the storage means: the defaults.
 */
export const FIRST_PAINT_SCRIPT =
  `try{var p=JSON.parse(localStorage.getItem("global-prefs")),d=document.documentElement.dataset;` +
  `if(/^(mini|sm|lg|table)$/.test(p.cardSize))d.size=p.cardSize;` +
  `if(/^(light|dark)$/.test(p.theme))d.theme=p.theme}catch(e){}` +
  `try{if(/${TELEVISIONS}/i.test(navigator.userAgent)||matchMedia("(any-pointer:none)").matches)` +
  `document.documentElement.dataset.tv=""}catch(e){}` +
  `try{var s=new CSSStyleSheet();JSON.parse(localStorage.getItem("collapsed-groups")).forEach(function(g){` +
  `s.insertRule("[data-group=\\""+CSS.escape(g)+"\\"]>.cards{display:none}")});` +
  `if(!location.search)document.adoptedStyleSheets=[s]}catch(e){}`;

/** A source for `script-src` that matches exactly this inline script (https://www.w3.org/TR/CSP3/#match-element-to-source-list). */
export function scriptHash(script: string): string {
  return `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
}
