/** What --help prints. */
import { describeVariables } from "../../config.ts";
import { type Command, COMMANDS, namesOfGroup, type Option } from "./table.ts";
import { usageOf } from "./words.ts";

/** @param name of a command or a group; "": of all. @param isAll whether the supervisor's commands and the variables are in it. */
export function helpText(name: string, isAll = false): string {
  if (name === "") return isAll ? `${overview()}\n${rest()}` : overview();
  if (Object.hasOwn(COMMANDS, name)) return commandHelp(name, COMMANDS[name]);
  const lines = linesOf(namesOfGroup(name));
  return `browser-stream ${name} has these commands:\n\n${lines}\n\nMore: browser-stream help ${name} COMMAND\n`;
}

function overview(): string {
  const names = Object.keys(COMMANDS).filter((name) => !COMMANDS[name].isInner);
  return `Browser Stream turns web pages into live TV channels.

Usage: browser-stream COMMAND

${linesOf(names)}

  browser-stream help COMMAND    what a command takes, and an example
  browser-stream --help --all    also all settings, which are environment variables
`;
}

function rest(): string {
  const inner = Object.keys(COMMANDS).filter((name) => COMMANDS[name].isInner);
  return `The supervisor runs:

${linesOf(inner)}

Environment variables:

${describeVariables()}
`;
}

function linesOf(names: readonly string[]): string {
  return names.map((name) => {
    const operands = (COMMANDS[name].operands ?? []).map((operand) => operand.name).join(" ");
    return `  ${`${name} ${operands}`.trimEnd().padEnd(40)} ${COMMANDS[name].about}`;
  }).join("\n");
}

function commandHelp(name: string, command: Command): string {
  const all: Record<string, Option> = { ...command.options, help: { about: "prints this text" } };
  const options = Object.entries(all).map(([option, { about, value }]) =>
    `  ${`--${option}${value ? `=${value.name}` : ""}`.padEnd(34)} ${about}`
  );
  return [
    `browser-stream ${name} ${command.about}.`,
    `Usage: ${usageOf(name, command)}`,
    options.join("\n"),
    `Example: ${command.example}`,
    ...command.notes ? [command.notes] : [],
  ].join("\n\n") + "\n";
}
