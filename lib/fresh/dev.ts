/** Fresh's build and development API. Imports esbuild: never import it from main.ts. */
export { Builder, type BuildOptions } from "./build/builder.ts";
