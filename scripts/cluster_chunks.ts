/**
 * The bundle's files of a cluster's nodes. Deno reads and parses what a literal `import()` names before the program
 * runs, which took a machine that is alone 7 MiB; so the bundle names these files by an expression, and `deno compile`
 * is told of them.
 */
const NAME = String.raw`chunk-(?:cluster|membership|node)-\w+\.js`;

export const isClusterChunk = (file: string): boolean => new RegExp(`^${NAME}$`).test(file);

/** The text of a file of the bundle, with all such names as expressions. Pure. */
export function withLateCluster(text: string): string {
  return text.replaceAll(new RegExp(String.raw`\bimport\(("\./${NAME}")\)`, "g"), "import(String($1))");
}
