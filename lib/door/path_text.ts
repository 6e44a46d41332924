/** A parameter of a path as text. */
import { ServiceError } from "../errors.ts";

/** The router leaves escapes that could part a path, such as %40. @throws {ServiceError} 404 where the path is no text. */
export function pathText(param: string): string {
  try {
    return decodeURIComponent(param);
  } catch {
    throw new ServiceError(404, "There is nothing at this address.");
  }
}
