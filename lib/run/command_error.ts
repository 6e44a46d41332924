/** A reason why a command cannot do its work; its message says what to do. */
export class CommandError extends Error {
  override name = "CommandError";
}
