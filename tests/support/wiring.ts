/** Wiring: functions that make parts of the service, and closures in them that use a part which is made below them. */
import { functionOf, isFunction, nodesOf, outwards, type SyntaxNode } from "./syntax.ts";

/** Who makes so many parts puts them together. */
const PARTS_OF_WIRING = 3;
/** What the language has, which is no part. */
const OF_LANGUAGE =
  /^(?:Map|Set|WeakMap|WeakSet|Date|URL|Headers|Response|Request|Error|RegExp|Array|Uint8Array|Uint32Array|DataView|Promise|Abort\w+|Text\w+|\w+Stream|Blob|Deno|Intl)$/;

/** Whether an expression makes a part: `new Feed(…)`, `await Users.open(…)`, `openChannels(…)`. */
function makesPart(init: SyntaxNode | null): boolean {
  const made = init?.type === "AwaitExpression" ? init.argument : init;
  if (made?.type === "NewExpression") {
    return made.callee.type === "Identifier" && !OF_LANGUAGE.test(made.callee.name);
  }
  if (made?.type !== "CallExpression") return false;
  const { callee } = made;
  if (callee.type === "MemberExpression") {
    return callee.property.name === "open" && callee.object.name !== "Deno";
  }
  return callee.type === "Identifier" && /^(?:open|build|create)[A-Z]/.test(callee.name);
}

/** What a closure is called: `late.fleet` for a property of an object, `removed` for a variable. */
function closureName(closure: SyntaxNode, home: SyntaxNode): string {
  const names: string[] = [];
  for (const one of outwards(closure)) {
    if (one === home) break;
    const named = one.type === "Property" ? one.key : one.id;
    if (named?.name) names.unshift(named.name);
  }
  return names.filter((name, at) => name !== names[at + 1]).join(".");
}

/** Whether a name is declared here: as a parameter or a variable. */
function declares(node: SyntaxNode): boolean {
  let one = node;
  while (/Pattern$|^Property$|^RestElement$/.test(one.parent!.type)) {
    if (one.parent!.type === "AssignmentPattern" && one.parent!.right === one) return false;
    one = one.parent!;
  }
  const parent = one.parent!;
  if (parent.type === "VariableDeclarator") return one.range[0] === parent.id.range[0];
  return isFunction(parent) && one.range[1] <= parent.body.range[0] && parent.id?.range[0] !== one.range[0];
}

/** Whether an identifier is the name of a member or of a property, and stands for no variable. */
function isOnlyName(node: SyntaxNode): boolean {
  const parent = node.parent!;
  return parent.type === "MemberExpression" && parent.property.range[0] === node.range[0] &&
      !parent.computed ||
    parent.type === "Property" && parent.key.range[0] === node.range[0] &&
      parent.value.range[0] !== node.range[0] ||
    parent.type.startsWith("TS");
}

/** A function that makes parts. */
export interface Wiring {
  name: string;
  /** "closure: part that is made below it", for each such closure. */
  late: string[];
}

/** The wiring of a module, whatever its functions are called. */
export function wiringOf(path: string, text: string): Wiring[] {
  const nodes = nodesOf(path, text);
  const variables = nodes.filter(({ type }) => type === "VariableDeclarator");
  const homes = new Set(variables.filter(({ init }) => makesPart(init)).map(functionOf));
  return [...homes].flatMap((home): Wiring[] => {
    const own = variables.filter((one) => functionOf(one) === home);
    if (!home || own.filter(({ init }) => makesPart(init)).length < PARTS_OF_WIRING) return [];
    const late = new Set(own.flatMap((variable) => usesAbove(variable, home, nodes)));
    return [{ name: home.id?.name ?? home.parent!.key?.name ?? "", late: [...late] }];
  });
}

/** "closure: name", for each closure of a function that uses a variable of it which is made below. */
function usesAbove(variable: SyntaxNode, home: SyntaxNode, nodes: readonly SyntaxNode[]): string[] {
  const names = nodes.filter((one) => one.type === "Identifier" && !isOnlyName(one));
  const isInside = (one: SyntaxNode, { range: [from, to] }: SyntaxNode) =>
    from <= one.range[0] && one.range[1] <= to;
  return names.filter((one) => isInside(one, variable.id) && declares(one)).flatMap(({ name }) => {
    const assigned = nodes.find((one) =>
      one.type === "AssignmentExpression" && functionOf(one) === home && one.left.name === name
    );
    // what is only declared is made by an assignment below
    const [made] = (variable.init ? variable : assigned ?? variable).range;
    return names.flatMap((use) => {
      if (use.name !== name || use.range[0] >= made || !isInside(use, home) || declares(use)) return [];
      const functions = [...outwards(use)].filter(isFunction);
      const closures = functions.slice(0, functions.indexOf(home));
      const isOwn = names.some((one) =>
        one.name === name && declares(one) && closures.some((closure) => isInside(one, closure))
      );
      return closures.length > 0 && !isOwn ? [`${closureName(closures.at(-1)!, home)}: ${name}`] : [];
    });
  });
}
