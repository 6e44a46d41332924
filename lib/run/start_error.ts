/** A reason why the service cannot start; its message says what to do. */
export class StartError extends Error {
  override name = "StartError";
}
