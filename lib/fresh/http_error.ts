/** Messages of errors that are given none. */
const REASONS: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  500: "Internal Server Error",
};

/**
 * An error with an HTTP status. Thrown by a handler or a middleware, it selects the error page and its status.
 *
 * @example
 * ```ts
 * throw new HttpError(404, "No such stream");
 * ```
 */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;

  constructor(
    status: number,
    message: string = REASONS[status] ?? `HTTP error ${status}`,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = status;
  }
}

/** The status an error answers with: its own, or 500. */
export function statusOf(error: unknown): number {
  return error instanceof HttpError ? error.status : 500;
}
