import { type ComponentChildren, type ComponentType, Fragment, h, options, type VNode } from "preact";
import type { Island } from "./build_cache.ts";
import { Head } from "./runtime.ts";
import { ISLAND_END, ISLAND_START } from "./shared.ts";

/** The places of a document that are filled in after everything else was rendered. */
export const HEAD_SLOT = "fresh:head";
export const BODY_SLOT = "fresh:body";

export interface IslandUse {
  island: Island;
  props: Record<string, unknown>;
}

/** The islands and head elements that one render found in its document. */
export interface RenderState {
  known: Map<unknown, Island>;
  islands: IslandUse[];
  /** The children of the document's own `<head>`. */
  ownHead: ComponentChildren;
  /** The children of every `Head`. */
  addedHead: ComponentChildren[];
}

/** Preact's internal view of a vnode; the names are fixed by its mangle.json. */
interface RenderedVNode extends VNode {
  __?: RenderedVNode;
}

let current: RenderState | null = null;

/** Watches the (synchronous) render that follows, until `stop` is called. */
export function startRender(known: Map<unknown, Island>): { state: RenderState; stop: () => void } {
  const state: RenderState = { known, islands: [], ownHead: null, addedHead: [] };
  current = state;
  return { state, stop: () => void (current = null) };
}

type DiffHook = (vnode: RenderedVNode) => void;
const hooks = options as { __b?: DiffHook };
const previousHook = hooks.__b;
hooks.__b = (vnode) => {
  if (current) adaptVNode(vnode, current);
  previousHook?.(vnode);
};

function adaptVNode(vnode: RenderedVNode, state: RenderState): void {
  const props = vnode.props as { children?: ComponentChildren };
  if (vnode.type === "head") {
    // The children wait: Head elements further down may replace titles and keys.
    state.ownHead = props.children;
    vnode.props = { ...props, children: comment(HEAD_SLOT) } as VNode["props"];
  } else if (vnode.type === Head) {
    if (isInsideIsland(vnode)) throw new TypeError("<Head> cannot stand in an island: put it on the page");
    state.addedHead.push(props.children);
  } else if (vnode.type === "body") {
    vnode.props = { ...props, children: [props.children, comment(BODY_SLOT)] } as VNode["props"];
  } else if (typeof vnode.type === "function") {
    const island = state.known.get(vnode.type);
    if (!island || isInsideIsland(vnode)) return;
    vnode.props = { island, component: vnode.type, props } as unknown as VNode["props"];
    vnode.type = IslandBoundary as ComponentType<unknown> as typeof vnode.type;
  }
}

function IslandBoundary(
  use: { island: Island; component: ComponentType; props: Record<string, unknown> },
): ComponentChildren {
  const index = current ? current.islands.push({ island: use.island, props: use.props }) - 1 : 0;
  return [comment(ISLAND_START + index), h(use.component, use.props), comment(ISLAND_END + index)];
}

function isInsideIsland(vnode: RenderedVNode): boolean {
  for (let parent = vnode.__; parent; parent = parent.__) {
    if ((parent.type as unknown) === IslandBoundary) return true;
  }
  return false;
}

/** preact-render-to-string's way to write a comment. */
function comment(text: string): VNode {
  return h(Fragment, { UNSTABLE_comment: text } as Record<string, unknown>);
}
