import type { ComponentChildren, FunctionComponent } from "preact";
import type { Context } from "./context.ts";

export type { Context };

/** Options of `App`. */
export interface FreshConfig {
  /** The path the app is mounted at, such as `/streams`; the empty string is the root. */
  basePath?: string;
  /** Take scheme and host of `ctx.url` from X-Forwarded-Proto and X-Forwarded-Host. */
  trustProxy?: boolean;
}

/** Options of `App.listen` and `Builder.listen`: Deno.serve's, over TCP. */
export type ListenOptions = Partial<Deno.ServeTcpOptions & Deno.TlsCertifiedKeyPem>;

export type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

/** Runs before a route; calls `ctx.next()` for the rest of the chain or answers itself. */
export type Middleware<State = unknown> = (ctx: Context<State>) => Response | Promise<Response>;

/** What `page()` returns: the data of the route's component, with headers and status of the response. */
export interface PageResponse<Data> {
  data: Data;
  headers?: HeadersInit;
  status?: number;
}

/** Handles one method of a file route. */
export type HandlerFn<Data = unknown, State = unknown> = (
  ctx: Context<State>,
) => Response | PageResponse<Data> | Promise<Response | PageResponse<Data>>;

export type HandlerByMethod<Data = unknown, State = unknown> = { [M in Method]?: HandlerFn<Data, State> };

/** A file route's `handler`: one function for every method, or one per method. */
export type RouteHandler<Data = unknown, State = unknown> =
  | HandlerFn<Data, State>
  | HandlerByMethod<Data, State>;

/** A file's `config` export. */
export interface RouteConfig {
  /** Drop the layouts of the folders above (and, on a page, of its own folder). */
  skipInheritedLayouts?: boolean;
  /** Render without `_app`. */
  skipAppWrapper?: boolean;
  /** Methods a page without handler answers; GET (and HEAD) unless told. */
  methods?: "ALL" | Method[];
}

/** The properties of pages, layouts, the app wrapper and error pages. */
export interface PageProps<Data = unknown, State = unknown> {
  data: Data;
  config: Required<FreshConfig>;
  url: URL;
  req: Request;
  params: Record<string, string>;
  info: Deno.ServeHandlerInfo;
  state: State;
  /** What was thrown, on an error page. */
  error: unknown;
  /** The pattern that matched. */
  route: string | null;
  /** What a layout or the app wrapper wraps. */
  Component: FunctionComponent;
}

/** A page, layout or app wrapper: may be async and may answer with a Response of its own. */
export type PageComponent<Data, State> = (
  props: PageProps<Data, State>,
) => ComponentChildren | Response | Promise<ComponentChildren | Response>;
