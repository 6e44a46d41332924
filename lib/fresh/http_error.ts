/** The statuses of errors; upstream takes no others. */
export type ErrorStatus =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 405
  | 406
  | 407
  | 408
  | 409
  | 410
  | 411
  | 412
  | 413
  | 414
  | 415
  | 416
  | 417
  | 418
  | 421
  | 422
  | 423
  | 424
  | 425
  | 426
  | 428
  | 429
  | 431
  | 451
  | 500
  | 501
  | 502
  | 503
  | 504
  | 505
  | 506
  | 507
  | 508
  | 510
  | 511;

/** The messages of errors without an own message. */
const REASONS: Partial<Record<ErrorStatus, string>> = {
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
  readonly status: ErrorStatus;

  constructor(
    status: ErrorStatus,
    message: string = REASONS[status] ?? `HTTP error ${status}`,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = status;
  }
}

/** The status of the answer to an error: the error's own, or 500. */
export function statusOf(error: unknown): number {
  return error instanceof HttpError ? error.status : 500;
}
