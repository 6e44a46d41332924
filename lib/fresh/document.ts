import { Fragment, h } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Snapshot } from "./build_cache.ts";
import { headElements } from "./head.ts";
import { serializeProps } from "./island_props.ts";
import { BODY_SLOT, HEAD_SLOT, type IslandUse, type RenderState } from "./render_hooks.ts";
import { BOOT_DATA_ID, type BootData } from "./shared.ts";

/** Makes a whole document of rendered markup: the head's elements, preloads, and the scripts that start the islands. */
export function assembleDocument(markup: string, state: RenderState, snapshot: Snapshot): string {
  const { islands } = state;
  const hasIslands = islands.length > 0;
  const head = renderToString(h(Fragment, null, ...headElements(state.ownHead, state.addedHead)));
  const preloads = hasIslands ? preloadLinks(islands) : "";
  const scripts = hasIslands ? bootScripts(islands, snapshot) : "";
  const withHead = fillSlot(markup, HEAD_SLOT, head + preloads);
  return "<!DOCTYPE html>" + fillSlot(withHead, BODY_SLOT, scripts);
}

function fillSlot(markup: string, slot: string, content: string): string {
  const comment = `<!--${slot}-->`;
  const at = markup.indexOf(comment);
  if (at === -1) throw new TypeError("routes/_app must render <html> with <head> and <body>");
  return markup.slice(0, at) + content + markup.slice(at + comment.length);
}

function preloadLinks(islands: IslandUse[]): string {
  const files = islands.flatMap(({ island: { file } }) => [file, file.boot]);
  const urls = new Set(files.flatMap(({ url, imports }) => [url, ...imports]));
  return [...urls].map((url) => `<link rel="modulepreload" href="${url}">`).join("");
}

// The data is not executable and the script is a file of ours, so `script-src 'self'` is all the policy a page needs.
function bootScripts(islands: IslandUse[], { buildId }: Snapshot): string {
  const data: BootData = {
    buildId,
    islands: islands.map(({ island }) => [island.file.url, island.exportName]),
    props: serializeProps(islands),
  };
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  return `<script type="application/json" id="${BOOT_DATA_ID}">${json}</script>` +
    `<script type="module" src="${islands[0].island.file.boot.url}"></script>`;
}
