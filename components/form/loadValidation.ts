import type * as validation from "./validation.ts";

export type Validation = typeof validation;

let loading: Promise<Validation> | null = null;

/** The stream schema for the browser, fetched at the first call. @throws {Error} when it cannot be fetched. */
export function loadValidation(): Promise<Validation> {
  loading ??= import("./validation.ts").catch((error) => {
    loading = null; // the next form tries again
    throw error;
  });
  return loading;
}
