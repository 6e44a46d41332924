/** The bundler's form of deno.json's import map. */

/**
 * The import map's modules of the project itself, and its renamed packages; esbuild finds npm's itself.
 * @throws {Error} for a target on JSR, which is no folder: the message says what to write instead.
 */
export function aliases(imports: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(imports).flatMap(([name, target]) => {
      if (target.startsWith("./")) return [[name, target]];
      if (target.startsWith("jsr:")) throw new Error(jsrProblem(name, target));
      const [, module, rest = ""] = /^npm:\/?((?:@[^/]+\/)?[^@/]+)(?:@[^/]*)?(\/.*)?$/.exec(target) ?? [];
      if (module === undefined || module + rest === name) return [];
      return [[name, module + rest]];
    }),
  );
}

/** Whether Fresh is the code of lib/fresh. */
export function isOwnFresh(imports: Readonly<Record<string, string>>): boolean {
  return imports.fresh?.startsWith("./") ?? false;
}

function jsrProblem(name: string, target: string): string {
  const [, scope, module, version = "", rest = ""] =
    /^jsr:\/?@([^/]+)\/([^@/]+)(@[^/]+)?(\/.*)?$/.exec(target) ?? [];
  const example = module === undefined
    ? "npm:@jsr/SCOPE__NAME"
    : `npm:@jsr/${scope}__${module}${version}${rest}`;
  return `deno.json maps "${name}" to "${target}", and the bundler finds packages in node_modules alone. ` +
    `Write "${example}" instead, with the line "@jsr:registry=https://npm.jsr.io" in .npmrc, ` +
    'and make deno.lock anew: "deno install --frozen=false".';
}
