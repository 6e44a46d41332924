import type { Middleware, PageComponent, PageResponse, RouteHandler } from "./types.ts";

type ResponseData<R> = R extends PageResponse<infer Data> ? Data : never;

/** The page data a set of handlers hands to its component. */
type DataOf<H> = [H] extends [never] ? unknown
  : {
    [M in keyof H]: H[M] extends (...args: never[]) => infer R ? ResponseData<Awaited<R>> : never;
  }[keyof H];

/** Typed identity functions for the exports of route files. */
export interface Define<State> {
  handlers<Data, Handlers extends RouteHandler<Data, State> = RouteHandler<Data, State>>(
    handlers: Handlers,
  ): Handlers;
  page<Handler = never>(component: PageComponent<DataOf<Handler>, State>): typeof component;
  middleware(middleware: Middleware<State>): typeof middleware;
}

/**
 * Helpers that give a route file's exports the app's state type.
 *
 * @example
 * ```tsx
 * const define = createDefine<State>();
 * export const handler = define.handlers({ GET: () => page({ name: "News" }) });
 * export default define.page<typeof handler>(({ data }) => <h1>{data.name}</h1>);
 * ```
 */
export function createDefine<State>(): Define<State> {
  return {
    handlers: (handlers) => handlers,
    page: (component) => component,
    middleware: (middleware) => middleware,
  };
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
