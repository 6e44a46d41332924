import type { ComponentChildren } from "preact";
import type { BuildCache } from "./build_cache.ts";
import type { Context } from "./types.ts";
import { CONTEXT_BUILD } from "./context_internals.ts";
import { renderPage } from "./render.ts";

/** The context of one request. */
export class RequestContext<State> implements Context<State> {
  readonly [CONTEXT_BUILD]: BuildCache;
  readonly url: URL;
  readonly state: State = {} as State;
  params: Record<string, string> = {};
  error: unknown = null;
  next: () => Promise<Response> = () => Promise.reject(new Error("ctx.next() was called outside of a chain"));

  constructor(readonly req: Request, readonly info: Deno.ServeHandlerInfo, build: BuildCache) {
    this.url = new URL(req.url);
    const { pathname } = this.url;
    if (pathname.includes("//")) this.url.pathname = pathname.replace(/\/{2,}/g, "/");
    this[CONTEXT_BUILD] = build;
  }

  // Browsers read leading slashes and backslashes as another host's name, so they become one slash.
  redirect(to: string, status = 302): Response {
    const location = /^[/\\\t\r\n]/.test(to) ? to.replace(/^[/\\\t\r\n]+/, "/") : to;
    return new Response(null, { status, headers: { location } });
  }

  // deno-lint-ignore require-await -- what rendering throws becomes a rejection
  async render(vnode: ComponentChildren, init: ResponseInit = {}): Promise<Response> {
    return renderPage(this, () => vnode, undefined, init);
  }

  html(content: string, init: ResponseInit = {}): Response {
    const headers = new Headers(init.headers);
    if (!headers.has("content-type")) headers.set("content-type", "text/html; charset=utf-8");
    return new Response(content, { ...init, headers });
  }

  json(content: unknown, init?: ResponseInit): Response {
    return Response.json(content, init);
  }
}
