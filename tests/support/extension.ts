/** An extension of the operator's, as browsers get it. */
import { join } from "node:path";
import type { Paths } from "../../lib/paths.ts";

export async function addExtension(
  { extensionsDir }: Pick<Paths, "extensionsDir">,
  name: string,
  manifest: Record<string, unknown> = {},
): Promise<void> {
  await Deno.mkdir(join(extensionsDir, name), { recursive: true });
  const whole = { manifest_version: 3, name: `The ${name}`, version: "1.0", ...manifest };
  await Deno.writeTextFile(join(extensionsDir, name, "manifest.json"), JSON.stringify(whole));
}
