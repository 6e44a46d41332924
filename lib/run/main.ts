/** The entry of every form of the program: the source, the bundle, the executable. */
import type { App } from "../handler.ts";
import { runCommand } from "./commands.ts";
import { selfCommand } from "./self.ts";

/**
 * Runs a subcommand.
 * @param entry the `import.meta` of the module that was started. @param built the built app, which `serve` alone needs.
 */
export async function main(
  args: string[],
  entry: ImportMeta,
  built: () => Promise<{ default: { fetch: App } }>,
): Promise<void> {
  const self = selfCommand(entry.url, entry.dirname!);
  await runCommand(args, self, async (config, _self, isAlone) => {
    const { serve } = await import("./serve.ts");
    const { default: server } = await built();
    await serve(config, self, server.fetch, isAlone);
  });
}
