/** A reason why a command cannot do what it is for; its message says what to do. */
export class CommandError extends Error {
  override name = "CommandError";
}

/**
 * The words behind a command: which of its options are there, and its operands.
 * @param operands the names of those it needs, for the message. @throws {CommandError} when there is one too many or too few.
 */
export function readArguments(
  command: string,
  args: readonly string[],
  operands: readonly string[],
  options: readonly string[] = [],
): { given: Set<string>; values: string[] } {
  const isOption = (word: string) => word.startsWith("--");
  const values = args.filter((word) => !isOption(word));
  const given = new Set(args.filter(isOption));
  const isKnown = [...given].every((word) => options.includes(word));
  if (isKnown && values.length === operands.length && values.every(Boolean)) return { given, values };
  const usage = [...operands, ...options.map((option) => `[${option}]`)].join(" ");
  throw new CommandError(`Usage: browser-stream ${command} ${usage}`.trimEnd());
}
