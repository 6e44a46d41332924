/** A reason why a command cannot do its work; its message says what to do. */
export class CommandError extends Error {
  override name = "CommandError";
}

/**
 * The words behind a command: its given options, and its operands.
 * @param operands the names of the needed operands, for the message. @throws {CommandError} when their number is wrong.
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
