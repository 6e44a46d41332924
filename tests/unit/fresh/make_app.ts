import { type ComponentChildren, h } from "preact";
import { installBuild, type RouteModule } from "../../../lib/fresh/build_cache.ts";
import { isPage } from "../../../lib/fresh/build/output.ts";
import { App, type Middleware, type PageProps, staticFiles } from "../../../lib/fresh/mod.ts";

/** An island that the apps made here know. */
export function Island({ children }: { children?: ComponentChildren }) {
  return h("b", null, children);
}

/** The simplest app wrapper. */
export function Wrapper({ Component }: PageProps) {
  return h("html", null, h("head", null), h("body", null, h(Component, null)));
}

/** An app of the given route modules, without a build. */
export function makeApp(routes: Record<string, RouteModule>, ...middlewares: Middleware[]): App<unknown> {
  const app = new App().use(staticFiles());
  for (const middleware of middlewares) app.use(middleware);
  app.fsRoutes();
  const modules: Record<string, RouteModule> = { "_app.tsx": { default: Wrapper }, ...routes };
  const boot = { url: "/_fresh/js/boot.js", imports: [] };
  const islands = [
    { name: "Island", module: { default: Island }, url: "/_fresh/js/island.js", imports: [], boot },
  ];
  installBuild(app, {
    buildId: "1d",
    routes: Object.entries(modules).map(([path, module]) => ({
      path,
      module: isPage(path) ? null : module,
    })),
    pages: () => Promise.resolve({ default: { routes: modules, islands } }),
    files: {},
  }, "/nonexistent");
  return app;
}

/** Sends one request to an app of the given route modules. */
export function ask(
  routes: Record<string, RouteModule>,
  path: string,
  init?: RequestInit,
  ...middlewares: Middleware[]
): Promise<Response> {
  return makeApp(routes, ...middlewares).handler()(new Request(`http://localhost${path}`, init));
}
