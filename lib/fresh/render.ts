import { type ComponentChildren, h, type VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import type { AnyContext } from "./chain.ts";
import type { PageComponent, PageProps } from "./types.ts";
import { internalsOf } from "./context.ts";
import { assembleDocument } from "./document.ts";
import { startRender } from "./render_hooks.ts";

/**
 * Renders a page to a response.
 *
 * @param components from the inside out: the page, its layouts, the app wrapper
 */
export async function renderDocument(
  ctx: AnyContext,
  components: PageComponent<unknown, unknown>[],
  data: unknown,
  init: ResponseInit,
): Promise<Response> {
  let content: ComponentChildren = null;
  for (const component of components) {
    const inner = content;
    const props = pageProps(ctx, data, () => inner);
    const isAsync = component.constructor.name === "AsyncFunction";
    const result = isAsync ? await component(props) : h(Page, { component, props });
    if (result instanceof Response) return result;
    content = result as ComponentChildren;
  }

  let html: string;
  try {
    html = renderHtml(ctx, content);
  } catch (error) {
    if (error instanceof ThrownResponse) return error.response;
    throw error;
  }
  const headers = new Headers(init.headers);
  if (!headers.has("content-type")) headers.set("content-type", "text/html; charset=utf-8");
  return new Response(html, { ...init, headers });
}

// Rendering is synchronous, so the state of one page cannot meet that of another.
function renderHtml(ctx: AnyContext, content: ComponentChildren): string {
  const { build } = internalsOf(ctx);
  const { state, stop } = startRender(build?.islands ?? new Map());
  let markup: string;
  try {
    markup = renderToString(content as VNode);
  } finally {
    stop();
  }
  return assembleDocument(markup, state, build?.snapshot, ctx.config.basePath);
}

/** Calls a synchronous page inside of Preact's rendering, where hooks and contexts work. */
function Page({ component, props }: { component: PageComponent<unknown, unknown>; props: PageProps }) {
  const result = component(props);
  if (result instanceof Response) throw new ThrownResponse(result);
  if (result instanceof Promise) {
    throw new TypeError(
      `Declare the component ${component.name} as an async function: it returned a promise`,
    );
  }
  return result;
}

class ThrownResponse {
  constructor(readonly response: Response) {}
}

function pageProps(ctx: AnyContext, data: unknown, Component: () => ComponentChildren): PageProps {
  const { config, url, req, params, info, state, error, route } = ctx;
  return { data, config, url, req, params, info, state, error, route, Component };
}
