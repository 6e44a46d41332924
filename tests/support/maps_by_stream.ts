/** What a module holds for longer than a call, by streams: found by use, however its type is spelled. */
import { isFunction, nodesOf, outwards, type SyntaxNode } from "./syntax.ts";

const KINDS = new Set(["Map", "Set", "WeakMap", "WeakSet", "Record"]);
const KEYED = new Set(["get", "has", "set", "add", "delete"]);
const CHANGING = new Set(["set", "add", "delete"]);

/** A stream, by its type. */
const isStreamType = (text: string) => /^(?:StreamId|Stream|LiveStream|KeptStream|PublicStream)\b/.test(text);

/** A stream's id, or the stream, by its name: `id`, `streamId`, `live.id`, `live`. */
const isStreamName = (text: string) => /(?:^|\.)#?(?:id|stream|live|streamId)$/.test(text);

/** The name of a field, variable or member: `x` of `#x`, `this.#x`, `x` and `span.x`. */
function nameOf(node: SyntaxNode | null): string | null {
  if (node?.type === "Identifier" || node?.type === "PrivateIdentifier") return node.name;
  if (node?.type === "MemberExpression" && !node.computed) return nameOf(node.property);
  return null;
}

/** `Map<StreamId, number>` as its name and what its key is; null: no such type. */
function kindOf(node: SyntaxNode | undefined, text: string): { key: string } | null {
  const type = node?.type === "TSTypeAnnotation" ? node.typeAnnotation : node;
  const name = type?.type === "NewExpression" ? type.callee : type?.typeName;
  if (!name || !KINDS.has(name.name)) return null;
  const key = type.typeArguments?.params[0];
  return { key: key ? text.slice(...key.range as [number, number]) : "" };
}

/** Whether a variable of a function lives on: a function that is given away changes it. */
function livesOn(declared: SyntaxNode, nodes: readonly SyntaxNode[]): boolean {
  const name = nameOf(declared.id);
  const home = [...outwards(declared)].find((one) => isFunction(one));
  if (!home) return true;
  const isGiven = (one: SyntaxNode): boolean => {
    for (const outer of outwards(one)) {
      if (outer === home) return false;
      if (outer.type === "ReturnStatement") return true;
      if (outer.type === "FunctionDeclaration" && isReturned(nameOf(outer.id))) return true;
      if (outer.type === "VariableDeclarator" && isReturned(nameOf(outer.id))) return true;
    }
    return false;
  };
  const returns = nodes.filter((one) =>
    one.type === "ReturnStatement" &&
    [...outwards(one)].find((outer) => outer !== one && isFunction(outer)) === home
  );
  const isReturned = (given: string | null): boolean =>
    nodes.some((one) =>
      one.type === "Identifier" && one.name === given &&
      returns.some((end) => end.range[0] <= one.range[0] && one.range[1] <= end.range[1])
    );
  return nodes.some((one) => {
    if (one.type !== "Identifier" || one.name !== name || one === declared.id) return false;
    const inner = [...outwards(one)].find((outer) => isFunction(outer));
    if (!inner || inner === home || ![...outwards(inner)].includes(home)) return false;
    return isGiven(inner) || (home.type === "ArrowFunctionExpression" && home.body === inner);
  });
}

/** Names of what holds streams, or something by their ids, in a module: fields, constants, and variables of closures. */
export function mapsByStream(path: string, text: string): string[] {
  const nodes = nodesOf(path, text);
  const source = (node: SyntaxNode) => text.slice(...node.range);
  const held = new Map<string, { key: string }>();
  for (const node of nodes) {
    const isField = node.type === "PropertyDefinition";
    const isVariable = node.type === "VariableDeclarator" && node.id.type === "Identifier";
    const isMember = node.type === "TSPropertySignature";
    if (!isField && !isVariable && !isMember) continue;
    const kind = kindOf(node.typeAnnotation ?? node.id?.typeAnnotation, text) ??
      kindOf(node.value ?? node.init, text);
    const name = nameOf(isVariable ? node.id : node.key);
    if (!kind || !name || (isVariable && !livesOn(node, nodes))) continue;
    // a record that is changed by nobody here is an answer, or a table
    const isChanged = nodes.some((one) =>
      one.type === "CallExpression" && CHANGING.has(nameOf(one.callee) ?? "") &&
        nameOf(one.callee.object) === name ||
      one.type === "AssignmentExpression" &&
        (nameOf(one.left) === name || nameOf(one.left.object) === name) ||
      one.type === "UnaryExpression" && one.operator === "delete" && nameOf(one.argument.object) === name
    );
    if (isChanged || isField) held.set(name, kind);
  }
  /** What a name is declared as, wherever that is: parameters mostly. */
  const typeOf = (name: string) =>
    nodes.filter((one) => one.type === "Identifier" && one.name === name && one.typeAnnotation)
      .map((one) => source(one.typeAnnotation).replace(/^:\s*/, ""));
  /** Whether a property or variable of this name is made from a stream's id. */
  const isNamedAfter = (name: string) =>
    nodes.some((one) =>
      one.type === "Property" && nameOf(one.key) === name &&
        /\b(?:stream|live|status)\.id$/.test(source(one.value)) ||
      one.type === "VariableDeclarator" && nameOf(one.id) === name && one.init &&
        /\b(?:stream|live|status)\.id$/.test(source(one.init))
    );
  const isStreams = (node: SyntaxNode | undefined): boolean => {
    if (!node) return false;
    if (isStreamName(source(node))) return true;
    return node.type === "Identifier" && (typeOf(node.name).some(isStreamType) || isNamedAfter(node.name));
  };
  const found = [...held].filter(([name, { key }]) =>
    isStreamType(key) || nodes.some((one) => {
      if (one.type === "CallExpression" && one.callee.type === "MemberExpression") {
        return KEYED.has(nameOf(one.callee) ?? "") && nameOf(one.callee.object) === name &&
          isStreams(one.arguments[0]);
      }
      return one.type === "MemberExpression" && one.computed && nameOf(one.object) === name &&
        isStreams(one.property);
    })
  );
  return found.map(([name]) => name);
}
