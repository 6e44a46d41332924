/** Starts the islands of a page. Runs once per page load, and only on pages that have islands. */
import { unflatten } from "devalue";
import { type ComponentType, h, hydrate } from "preact";
import { BOOT_DATA_ID, type BootData, ISLAND_END, ISLAND_START, runtimeState } from "../shared.ts";
import { rangeRoot } from "./range_root.ts";

const data: BootData = JSON.parse(document.getElementById(BOOT_DATA_ID)?.textContent ?? "null");
runtimeState.buildId = data.buildId;

const props: Record<string, unknown>[] = unflatten(data.props as Parameters<typeof unflatten>[0]);

const comments = document.createTreeWalker(document, NodeFilter.SHOW_COMMENT);
const markers = new Map<string, Comment>();
while (comments.nextNode()) {
  const marker = comments.currentNode as Comment;
  markers.set(marker.data, marker);
}

// Each island starts on its own: an island that fails must not stop the others.
data.islands.forEach(async ([url, exportName], index) => {
  const start = markers.get(ISLAND_START + index);
  const end = markers.get(ISLAND_END + index);
  if (!start || !end) return;
  const module = await import(url);
  hydrate(h(module[exportName] as ComponentType<unknown>, props[index]), rangeRoot(start, end));
});
