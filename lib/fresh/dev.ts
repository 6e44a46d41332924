/** Fresh's build and development API. Imports esbuild: never import it from main.ts. */
export { Builder, type BuildOptions, type ListenOptions } from "./build/builder.ts";
