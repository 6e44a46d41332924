import { Fragment, h } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Snapshot } from "./build_cache.ts";
import { serializeProps } from "./island_props.ts";
import { BODY_SLOT, HEAD_SLOT, headElements, type IslandUse, type RenderState } from "./render_hooks.ts";
import { BOOT_DATA_ID, type BootData } from "./shared.ts";

/** Makes a whole document of rendered markup: the head's elements, preloads, and what starts the islands. */
export function assembleDocument(
  markup: string,
  state: RenderState,
  snapshot: Snapshot | undefined,
  basePath: string,
): string {
  let head = renderToString(h(Fragment, null, ...headElements(state)));
  let scripts = "";
  if (snapshot && state.islands.length > 0) {
    head += preloadLinks(state.islands, snapshot, basePath);
    scripts = bootScripts(state.islands, snapshot, basePath);
  }
  return "<!DOCTYPE html>" +
    (state.hasHtml ? fillSlots(markup, head, scripts) : fallback(markup, head, scripts));
}

function fillSlots(markup: string, head: string, scripts: string): string {
  const headSlot = `<!--${HEAD_SLOT}-->`;
  const bodySlot = `<!--${BODY_SLOT}-->`;
  const bodyAt = markup.lastIndexOf(bodySlot);
  if (bodyAt === -1) markup += scripts;
  else markup = markup.slice(0, bodyAt) + scripts + markup.slice(bodyAt + bodySlot.length);
  // Replaced by a function, since `$&` in a replacement string has a meaning.
  if (markup.includes(headSlot)) return markup.replace(headSlot, () => head);
  return head === "" ? markup : markup.replace(/<html[^>]*>/, (tag) => `${tag}<head>${head}</head>`);
}

function fallback(markup: string, head: string, scripts: string): string {
  return `<html lang="en"><head><meta charset="utf-8">${head}</head><body>${markup}${scripts}</body></html>`;
}

function preloadLinks(islands: IslandUse[], snapshot: Snapshot, basePath: string): string {
  const { boot } = snapshot;
  const files = islands.map(({ island }) => island.file);
  const urls = new Set([
    boot.url,
    ...boot.imports,
    ...files.flatMap(({ url, imports }) => [url, ...imports]),
  ]);
  return [...urls].map((url) => `<link rel="modulepreload" href="${basePath}${url}">`).join("");
}

// The data is not executable and the script is a file of ours, so `script-src 'self'` is all the policy a page needs.
function bootScripts(islands: IslandUse[], snapshot: Snapshot, basePath: string): string {
  const data: BootData = {
    buildId: snapshot.buildId,
    basePath,
    islands: islands.map(({ island }) => [basePath + island.file.url, island.exportName]),
    props: serializeProps(islands),
  };
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  return `<script type="application/json" id="${BOOT_DATA_ID}">${json}</script>` +
    `<script type="module" src="${basePath}${snapshot.boot.url}"></script>`;
}
