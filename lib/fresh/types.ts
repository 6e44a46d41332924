import type { ComponentChildren, FunctionComponent } from "preact";

/** Options of `App`. This app sets none of upstream's. */
export type FreshConfig = Record<string, never>;

/** One request on its way through middlewares and handlers. */
export interface Context<State> {
  readonly req: Request;
  /** The request's URL; repeated slashes of the path are collapsed. */
  readonly url: URL;
  /** The connection, as it was given to the app's handler. */
  readonly info: Deno.ServeHandlerInfo;
  /** The state that all middlewares and the handler of one request share. */
  readonly state: State;
  /** The values of the pattern's parameters, decoded with decodeURI. */
  params: Record<string, string>;
  /** The error of `next()`, for a middleware's catch and for the error page. */
  error: unknown;
  /** Runs the rest of the chain. */
  next: () => Promise<Response>;
  /** A redirect. A path stays on this host. */
  redirect(to: string, status?: number): Response;
  /** Renders a vnode inside the app wrapper. */
  render(vnode: ComponentChildren, init?: ResponseInit): Promise<Response>;
  html(content: string, init?: ResponseInit): Response;
  json(content: unknown, init?: ResponseInit): Response;
}

/** Runs before a route; calls `ctx.next()` for the rest of the chain or answers itself. */
export type Middleware<State = unknown> = (ctx: Context<State>) => Response | Promise<Response>;

/** The result of `page()`: the data of the route's component, with headers and status of the response. */
export interface PageResponse<Data> {
  data: Data;
  headers?: HeadersInit;
  status?: number;
}

/** Handles one method of a file route. */
export type HandlerFn<Data = unknown, State = unknown> = (
  ctx: Context<State>,
) => Response | PageResponse<Data> | Promise<Response | PageResponse<Data>>;

type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

/** A file route's `handler` export: one function per method. */
export type RouteHandler<Data = unknown, State = unknown> = { [M in Method]?: HandlerFn<Data, State> };

/** The properties of pages, the app wrapper and the error page. */
export interface PageProps<Data = unknown, State = unknown>
  extends Pick<Context<State>, "req" | "url" | "info" | "state" | "params" | "error"> {
  data: Data;
  /** The page inside the app wrapper. */
  Component: FunctionComponent;
}

/** A page or the app wrapper. */
export type PageComponent<Data, State> = (props: PageProps<Data, State>) => ComponentChildren;
