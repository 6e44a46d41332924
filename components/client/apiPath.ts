declare const brand: unique symbol;

/** A path of the service's API. Only `apiPath` makes such a path, so that a string made elsewhere does not compile. */
export type ApiPath = string & { readonly [brand]: true };

/** The health check, which is beside the API. */
export const HEALTH = "/healthz" as ApiPath;

/** Makes a path of a template: apiPath`/streams/${id}` is /api/streams/{id}. Every value is encoded here, once. */
export function apiPath(parts: TemplateStringsArray, ...values: (string | number)[]): ApiPath {
  const encoded = values.map((value) => encodeURIComponent(value));
  return `/api${String.raw({ raw: parts }, ...encoded)}` as ApiPath;
}
