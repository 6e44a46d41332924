import type { ComponentChildren } from "preact";
import type { BuildCache } from "./build_cache.ts";
import type { FreshConfig, PageComponent, PageResponse } from "./types.ts";
import { renderDocument } from "./render.ts";

/** The components around a page: layouts from the inside out, then the app wrapper. */
export type Wrappers = PageComponent<unknown, unknown>[];

interface ContextInit {
  req: Request;
  url: URL;
  info: Deno.ServeHandlerInfo;
  config: Required<FreshConfig>;
  build: BuildCache | null;
}

/** Only this library may know them, so they are no part of the Context type. */
interface Internals {
  build: BuildCache | null;
  wrappers: Wrappers;
}

const internals = new WeakMap<object, Internals>();

export function internalsOf(ctx: object): Internals {
  const found = internals.get(ctx);
  if (!found) throw new TypeError("Not a context made by this library");
  return found;
}

/** One request on its way through middlewares and handlers. */
export class Context<State> {
  readonly req: Request;
  /** The request's URL; repeated slashes of the path are collapsed. */
  readonly url: URL;
  readonly info: Deno.ServeHandlerInfo;
  readonly config: Required<FreshConfig>;
  /** Shared by all middlewares and the handler of one request. */
  readonly state: State = {} as State;
  /** The values of the pattern's parameters, decoded with decodeURI. */
  params: Record<string, string> = {};
  /** The pattern that matched, null if none did. */
  route: string | null = null;
  /** What was thrown, on an error page. */
  error: unknown = null;
  /** Runs the rest of the chain. */
  next: () => Promise<Response> = () => Promise.reject(new Error("ctx.next() was called outside of a chain"));

  constructor(init: ContextInit) {
    this.req = init.req;
    this.url = init.url;
    this.info = init.info;
    this.config = init.config;
    internals.set(this, { build: init.build, wrappers: [] });
  }

  /**
   * A redirect. A path stays on this host: leading slashes and backslashes, which browsers read as another host's
   * name, become one slash.
   */
  redirect(to: string, status = 302): Response {
    const location = /^[/\\\t\r\n]/.test(to) ? to.replace(/^[/\\\t\r\n]+/, "/") : to;
    return new Response(null, { status, headers: { location } });
  }

  /** Renders a vnode inside the layouts and the app wrapper of the current route. */
  render(vnode: ComponentChildren, init: ResponseInit = {}): Promise<Response> {
    return renderDocument(this, [() => vnode, ...internalsOf(this).wrappers], undefined, init);
  }

  text(content: string, init?: ResponseInit): Response {
    return respond(content, "text/plain; charset=utf-8", init);
  }

  html(content: string, init?: ResponseInit): Response {
    return respond(content, "text/html; charset=utf-8", init);
  }

  json(content: unknown, init?: ResponseInit): Response {
    return Response.json(content, init);
  }
}

function respond(content: string, type: string, init: ResponseInit = {}): Response {
  const headers = new Headers(init.headers);
  if (!headers.has("content-type")) headers.set("content-type", type);
  return new Response(content, { ...init, headers });
}

/**
 * Page data returned by a handler, for the route's component.
 *
 * @example
 * ```ts
 * export const handler = define.handlers({ GET: () => page({ name: "News" }, { status: 203 }) });
 * ```
 */
export function page<Data>(
  data?: Data,
  options: { headers?: HeadersInit; status?: number } = {},
): PageResponse<Data> {
  return { data: data as Data, headers: options.headers, status: options.status };
}
