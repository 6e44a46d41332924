/** The words of the command line -> a command with its options and operands. */
import { parseArgs } from "node:util";
import { type Command, COMMANDS, namesOfGroup, type Option, type Word } from "./table.ts";

/** Words that are no command, in lines for a person: the problem, and how the command is written. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** The operands and options that a command was given. */
export interface Words {
  /** The command's name, such as "user add". */
  name: string;
  /** As many as the command has. */
  operands: string[];
  /** The given options by their names; true: it has no value. */
  options: Readonly<Record<string, string | true>>;
}

/** The request of a command line. */
export type Asked =
  | Words
  /** @param of the name of a command or a group; "": of all. */
  | { help: string; isAll: boolean };

const HELP: Record<string, Option> = { help: { about: "prints this text" } };

/** @throws {UsageError} */
export function readWords(args: readonly string[]): Asked {
  const [first = "", ...rest] = args;
  if (args.length === 0) return { help: "", isAll: false };
  if (first === "-h" || first === "--help") return readHelp(rest);
  if (first === "help") return readHelp(rest.filter((word) => word !== "--help" && word !== "-h"));
  if (first === "--version" || first === "-V") return readCommand("version", rest);
  const group = namesOfGroup(first);
  if (group.length > 0) return readGroup(first, group, rest);
  if (Object.hasOwn(COMMANDS, first)) return readCommand(first, rest);
  const isOption = first.startsWith("-");
  const all = isOption ? ["--help", "--version"] : topWords();
  throw new UsageError(
    `There is no ${isOption ? "option" : "command"} "${first}".${meant(first, all)}\n` +
      "All commands: browser-stream --help",
  );
}

/** The words that a command line may begin with, of the commands for people. */
export function topWords(): string[] {
  const names = Object.entries(COMMANDS).filter(([, { isInner }]) => !isInner).map(([name]) =>
    name.split(" ")[0]
  );
  return [...new Set(names)];
}

function readHelp(rest: readonly string[]): Asked {
  const words = rest.filter((word) => word !== "--all");
  const name = words.join(" ");
  const isKnown = Object.hasOwn(COMMANDS, name) || name === "" || namesOfGroup(name).length > 0;
  if (isKnown) return { help: name, isAll: words.length < rest.length };
  throw new UsageError(
    `There is no command "${name}".${meant(name, [...Object.keys(COMMANDS), ...topWords()])}\n` +
      "All commands: browser-stream --help",
  );
}

function readGroup(word: string, names: readonly string[], rest: readonly string[]): Asked {
  const [second = ""] = rest;
  if (second === "-h" || second === "--help") return { help: word, isAll: false };
  const name = `${word} ${second}`;
  if (names.includes(name)) return readCommand(name, rest.slice(1));
  const seconds = names.map((one) => one.slice(word.length + 1));
  const what = second === ""
    ? `${word} needs one more word.`
    : `There is no command "${name}".${meant(second, seconds)}`;
  throw new UsageError(`${what}\nUsage: browser-stream ${word} ${seconds.join("|")}`);
}

function readCommand(name: string, rest: readonly string[]): Asked {
  const command = COMMANDS[name];
  const options: Record<string, Option> = { ...command.options, ...HELP };
  const { tokens, positionals } = parseArgs({
    args: [...rest],
    options: Object.fromEntries(
      Object.entries(options).map(([option, { value }]) => [option, {
        type: value ? "string" as const : "boolean" as const,
        ...(option === "help" ? { short: "h" } : {}),
      }]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const fail = (problem: string) => {
    throw new UsageError(
      `${problem}\nUsage: ${usageOf(name, command)}\nMore: browser-stream ${name} --help`,
    );
  };
  const given = tokens.filter((token) => token.kind === "option");
  if (given.some((token) => token.name === "help")) return { help: name, isAll: false };
  const found: Record<string, string | true> = Object.create(null);
  for (const { name: option, rawName, value } of given) {
    const known = Object.hasOwn(options, option) ? options[option] : null;
    if (!known) {
      const near = meant(rawName, Object.keys(options).map((one) => `--${one}`));
      return fail(`${name}: there is no option "${rawName}".${near}`);
    }
    if (option in found) return fail(`${name}: the option "${rawName}" is given twice.`);
    if (!known.value && value !== undefined) return fail(`${name}: the option "${rawName}" has no value.`);
    if (known.value && !value) {
      return fail(`${name}: the option "${rawName}" needs a value: ${rawName}=${known.value.name}`);
    }
    if (known.value) refuseOther(known.value, value!, fail);
    found[option] = value ?? true;
  }
  const operands = command.operands ?? [];
  const missing = operands.find((_, at) => !positionals[at]);
  if (missing) return fail(`${name}: ${missing.name} is missing.`);
  if (positionals.length > operands.length) {
    return fail(`${name}: "${positionals[operands.length]}" is one word too many.`);
  }
  operands.forEach((operand, at) => refuseOther(operand, positionals[at], fail));
  return { name, operands: positionals, options: found };
}

function refuseOther({ choices }: Word, word: string, fail: (problem: string) => void): void {
  if (choices && !choices.includes(word)) fail(`"${word}" is not ${listed(choices)}.${meant(word, choices)}`);
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** "browser-stream backup FILE [--profiles]" */
export function usageOf(name: string, { operands = [], options = {} }: Command): string {
  const given = Object.entries(options).map(([option, { value }]) =>
    `[--${option}${value ? `=${value.name}` : ""}]`
  );
  return ["browser-stream", name, ...operands.map((operand) => operand.name), ...given].join(" ");
}

/** " Did you mean "doctor"?"; "" where no word is near. */
function meant(word: string, words: readonly string[]): string {
  const most = word.length < 5 ? 1 : 2;
  const [near] = words.map((one) => ({ one, steps: distance(word, one) }))
    .filter(({ steps }) => steps <= most).toSorted((a, b) => a.steps - b.steps);
  return near ? ` Did you mean "${near.one}"?` : "";
}

/** How many letters are to be put in, left out, exchanged or swapped. Source: optimal string alignment. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Infinity;
  const rows = Array.from({ length: a.length + 1 }, (_, at) => [at, ...Array<number>(b.length).fill(0)]);
  rows[0] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const other = a[i - 1] === b[j - 1] ? 0 : 1;
      rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + other);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.length][b.length];
}
