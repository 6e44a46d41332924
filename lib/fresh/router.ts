import type { Handler } from "./chain.ts";
import { compilePattern, type Pattern } from "./pattern.ts";

interface Route {
  pattern: Pattern;
  methods: Map<string, Handler>;
  /** Answers the methods that have no handler. */
  otherwise: Handler;
}

export interface Match {
  handler: Handler;
  params: Record<string, string>;
  pattern: string;
}

/** Routes in order of registration. */
export class Router {
  #routes: Route[] = [];

  /** Adds a route, or finds the one with the same pattern. */
  add(source: string, otherwise: (methods: Map<string, Handler>) => Handler): Map<string, Handler> {
    const known = this.#routes.find((route) => route.pattern.source === source);
    if (known) return known.methods;
    const methods = new Map<string, Handler>();
    this.#routes.push({ pattern: compilePattern(source), methods, otherwise: otherwise(methods) });
    return methods;
  }

  /** The first route whose pattern matches, even if it has no handler for the method. */
  match(method: string, pathname: string): Match | null {
    for (const { pattern, methods, otherwise } of this.#routes) {
      const params = pattern.match(pathname);
      if (!params) continue;
      const handler = methods.get(method) ?? (method === "HEAD" ? methods.get("GET") : undefined);
      return { handler: handler ?? methods.get("ALL") ?? otherwise, params, pattern: pattern.source };
    }
    return null;
  }
}

/** The value of an `allow` header. */
export function allowedMethods(methods: Map<string, Handler>): string {
  const names = new Set([...methods.keys(), "OPTIONS"]);
  if (names.has("GET")) names.add("HEAD");
  return [...names].sort().join(", ");
}
