import type * as streamRules from "./streamRules.ts";

export type Rules = typeof streamRules;

let loading: Promise<Rules> | null = null;

/** The schema's judgement, fetched when it is first asked for. @throws {Error} when it cannot be fetched. */
export function loadRules(): Promise<Rules> {
  loading ??= import("./streamRules.ts").catch((error) => {
    loading = null; // the next form tries again
    throw error;
  });
  return loading;
}
