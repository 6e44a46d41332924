/** Compiles lib/display/capture/wasm/pixels.ts, which is AssemblyScript, into _fresh/wasm/: `deno run -A scripts/wasm.ts`. */
import { join } from "node:path";
import { main } from "assemblyscript/asc";

const root = join(import.meta.dirname!, "..");
const out = join(root, "_fresh/wasm");

await Deno.mkdir(out, { recursive: true });
const { error, stderr } = await main([
  "lib/display/capture/wasm/pixels.ts",
  ...["--baseDir", root, "--outFile", "_fresh/wasm/pixels.bin"],
  ...["-O3", "--noAssert", "--runtime", "stub", "--enable", "simd"],
  // the importing code makes the memory, in the needed size
  ...["--importMemory", "--noExportMemory"],
]);
if (error) {
  console.error(String(stderr));
  throw error;
}
