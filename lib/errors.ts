/** Errors for people: each knows its HTTP status and, for bad input, which fields are wrong. */

/** The statuses that the service answers with when it does not do what was asked for. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 408 | 409 | 413 | 415 | 421 | 429 | 501 | 502 | 503 | 507;

export class ServiceError extends Error {
  override name = "ServiceError";
  constructor(
    readonly status: ErrorStatus,
    message: string,
    /** Problem by field name. */
    readonly fields?: Record<string, string>,
    options: ErrorOptions & { extra?: Record<string, unknown>; retryAfterSeconds?: number } = {},
  ) {
    super(message, options);
    this.extra = options.extra;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
  /** What the answer tells besides the error, such as the state a 409 is about. Goes out as it is: no secrets. */
  readonly extra?: Record<string, unknown>;
  /** When it makes sense to try again. */
  readonly retryAfterSeconds?: number;
}

/** 400: the body is not what was asked for. */
export function badInput(fields: Record<string, string>): ServiceError {
  const { "": whole, ...named } = fields;
  const names = Object.keys(named);
  const message = whole ?? (names.length === 1 ? named[names[0]] : `Please correct: ${names.join(", ")}.`);
  return new ServiceError(400, message, named);
}

/** 404: there is no such stream. Pages answer it with one of their own. */
export class NoSuchStreamError extends ServiceError {
  override name = "NoSuchStreamError";
  constructor(readonly id: string) {
    super(404, `There is no stream "${id.slice(0, 63)}".`);
  }
}

/** 404: there is no such wall; likewise. */
export class NoSuchWallError extends ServiceError {
  override name = "NoSuchWallError";
  constructor(readonly id: string) {
    super(404, `There is no wall "${id.slice(0, 63)}".`);
  }
}

export function noSuchStream(id: string): NoSuchStreamError {
  return new NoSuchStreamError(id);
}
