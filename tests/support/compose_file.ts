/** docker-compose.yml as a person changes it: lines that are comments put in force, others taken out. */
import { root } from "./docker.ts";

const FILE = `${root}docker-compose.yml`;

export function readCompose(): string {
  return Deno.readTextFileSync(FILE);
}

/** Puts a commented line, and the commented lines right below it that are indented further, in force. @throws when it is not there. */
export function inForce(text: string, line: string): string {
  const lines = text.split("\n");
  const first = lines.findIndex((one) => one.trim().startsWith(`# ${line}`));
  if (first < 0) throw new Error(`docker-compose.yml has no commented line "${line}"`);
  const shape = /^( *)# ( *)(\S.*)$/;
  const [, indent, depth] = shape.exec(lines[first])!;
  for (let at = first; at < lines.length; at++) {
    const found = shape.exec(lines[at]);
    if (!found || (at > first && found[2].length <= depth.length)) break;
    lines[at] = `${indent}${found[2]}${found[3]}`;
  }
  return lines.join("\n");
}

/** Takes the item of a list out. @throws when it is not there. */
export function without(text: string, item: string): string {
  const kept = text.split("\n").filter((line) => line.replace(/ #.*/, "").trim() !== `- ${item}`);
  if (kept.length !== text.split("\n").length - 1) {
    throw new Error(`docker-compose.yml has not one "- ${item}"`);
  }
  return kept.join("\n");
}

/** Gives the service another line of its own. */
export function withLine(text: string, line: string): string {
  return text.replace("  browser-stream:\n", `$&    ${line}\n`);
}

/** The capabilities that are given back after all were dropped. */
export function addedCapabilities(text: string): string[] {
  const [, list] = /^ {4}cap_add:\n((?: {6}.*\n)+)/m.exec(text)!;
  return [...list.matchAll(/^ *- (\w+)/gm)].map(([, name]) => name);
}
