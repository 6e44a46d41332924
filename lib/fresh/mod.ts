/** The part of Fresh 2's public API this app uses; README.md says why it is here. */
export { App } from "./app.ts";
export { createDefine, page } from "./define.ts";
export { HttpError } from "./http_error.ts";
export { staticFiles } from "./static_files.ts";
export type { Context, FreshConfig, Middleware, PageProps } from "./types.ts";
