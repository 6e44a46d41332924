/** What keeps the service from starting; its message says what to do. */
export class StartError extends Error {
  override name = "StartError";
}
