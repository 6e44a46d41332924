/** The part of Fresh 2's public API this app uses; README.md says why it is here. */
export { App } from "./app.ts";
export { page } from "./context.ts";
export { createDefine, type Define } from "./define.ts";
export { HttpError } from "./http_error.ts";
export { staticFiles } from "./static_files.ts";
export type {
  Context,
  FreshConfig,
  HandlerFn,
  ListenOptions,
  Middleware,
  PageProps,
  PageResponse,
  RouteConfig,
  RouteHandler,
} from "./types.ts";
