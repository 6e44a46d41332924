/** The syntax tree of a source file, for the rules of the repository. `Deno.lint` is there in `deno test` alone. */

/** A node as ESTree has it. */
export interface SyntaxNode {
  type: string;
  range: [number, number];
  parent: SyntaxNode | null;
  // deno-lint-ignore no-explicit-any -- each kind of node has fields of its own
  [field: string]: any;
}

/** Deno's own parser, whose types are unstable. */
const { lint } = Deno as unknown as {
  lint: { runPlugin(plugin: unknown, path: string, text: string): void };
};

/** All nodes of a file, each behind the one that it is in. @param path says by its end whether there may be markup. */
export function nodesOf(path: string, text: string): SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  const create = () => ({ "*": (node: SyntaxNode) => void nodes.push(node) });
  lint.runPlugin({ name: "tree", rules: { nodes: { create } } }, path, text);
  return nodes;
}

/** The node, the one that it is in, and so on. */
export function* outwards(node: SyntaxNode): Generator<SyntaxNode> {
  for (let one: SyntaxNode | null = node; one; one = one.parent) yield one;
}

export const isFunction = ({ type }: SyntaxNode) =>
  ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"].includes(type);

/** The function whose code a node is directly in; null: the module. */
export function functionOf(node: SyntaxNode): SyntaxNode | null {
  for (const one of outwards(node)) if (one !== node && isFunction(one)) return one;
  return null;
}
