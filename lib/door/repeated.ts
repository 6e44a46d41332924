/** Names that come twice in a query or a form: one reader takes the first, the next one the last. */
import { ServiceError } from "../errors.ts";
import { rawPath } from "./errors.ts";

/** The board's filter has a value for each state and group that it shows. */
const LISTS = ["state", "group"];

const MAX_NAME = 100;

/** @param where it was sent, for the message: "address" or "form". @throws {ServiceError} 400. */
export function refuseRepeated(where: string, params: URLSearchParams, lists: readonly string[] = []): void {
  const seen = new Set<string>(lists);
  for (const name of params.keys()) {
    if (seen.has(name) && !lists.includes(name)) {
      const shown = name.slice(0, MAX_NAME);
      throw new ServiceError(400, `The ${where} has "${shown}" twice. Give it once. Example: ${shown}=…`);
    }
    seen.add(name);
  }
}

/** @param url a whole one. @throws {ServiceError} 400 for a query that has a name twice. */
export function refuseRepeatedQuery(url: string): void {
  const query = url.indexOf("?");
  // most have none, or one of one name
  if (query < 0 || !url.includes("&", query)) return;
  refuseRepeated("address", new URLSearchParams(url.slice(query + 1)), rawPath(url) === "/" ? LISTS : []);
}
