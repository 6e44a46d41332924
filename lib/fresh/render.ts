import { type ComponentChildren, h, type VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import type { AnyContext } from "./chain.ts";
import type { PageComponent, PageProps } from "./types.ts";
import { buildOf } from "./context_internals.ts";
import { assembleDocument } from "./document.ts";
import { startRender } from "./render_hooks.ts";

/** Characters. A longer page takes so long that other requests have their turn before the page is put together. */
const LONG_PAGE = 100_000;

/** Renders a page inside the app wrapper to a response. */
export async function renderPage(
  ctx: AnyContext,
  component: PageComponent<unknown, unknown>,
  data: unknown,
  init: ResponseInit,
): Promise<Response> {
  const build = buildOf(ctx);
  const { app, islands } = await build.pages();
  const { req, url, info, state, params, error } = ctx;
  const props = { data, req, url, info, state, params, error, Component: () => null };
  const Component = () => h(Page, { component, props });

  // Rendering is synchronous, so the states of two pages cannot meet.
  const render = startRender(islands);
  let markup: string;
  try {
    markup = renderToString(h(Page, { component: app, props: { ...props, Component } }) as VNode);
  } finally {
    render.stop();
  }
  if (markup.length > LONG_PAGE) await new Promise((next) => setTimeout(next));
  const headers = new Headers(init.headers);
  if (!headers.has("content-type")) headers.set("content-type", "text/html; charset=utf-8");
  return new Response(assembleDocument(markup, render.state, build.snapshot), { ...init, headers });
}

/** Calls a page inside of Preact's rendering, where hooks and contexts work. */
function Page({ component, props }: { component: PageComponent<unknown, unknown>; props: PageProps }) {
  const result: ComponentChildren = component(props);
  if (result instanceof Promise || result instanceof Response) {
    throw new TypeError(
      `The component ${component.name} must return JSX at once: load data and answer in the route's handler`,
    );
  }
  return result;
}
