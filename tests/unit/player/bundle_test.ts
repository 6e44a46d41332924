import assert from "node:assert/strict";
import { stop, transform } from "esbuild";
import { bundlePlayer, PLAYER_TARGET } from "../../../scripts/player.ts";

/** For tests that run esbuild, whose service ends some time after `stop()`. */
const options = { sanitizeOps: false, sanitizeResources: false };

/** Whether the syntax is that of the target: then nothing is left to translate. */
async function isOldEnough(script: string): Promise<boolean> {
  const [old, new_] = await Promise.all(
    [PLAYER_TARGET, "esnext"].map((target) => transform(script, { target })),
  );
  return old.code === new_.code;
}

Deno.test({
  name: "the scripts of players and walls are small and have no syntax after ES2017",
  ...options,
  fn: async () => {
    for (const [entry, most] of [["main.ts", 20_000], ["wall/main.ts", 14_200]] as const) {
      const script = await bundlePlayer(entry);
      assert.ok(script.length < most, `${entry}: ${script.length} bytes`);
      assert.ok(await isOldEnough(script), entry);
    }
    const library = await Deno.readTextFile("node_modules/hls.js/dist/hls.light.min.js");
    assert.ok(await isOldEnough(library), "hls.js");
    for (const late of ["a?.b", "a ?? b", "a ||= b", "({...a})", "try {} catch {}", "class A { #a }"]) {
      assert.equal(await isOldEnough(late), false, late);
    }
    await stop();
  },
});

Deno.test({
  name: "they use nothing that browsers of 2017 lack",
  ...options,
  fn: async () => {
    const script = (await Promise.all([bundlePlayer("main.ts"), bundlePlayer("wall/main.ts")])).join();
    await stop();
    for (
      const late of [
        "AbortSignal",
        "globalThis",
        "structuredClone",
        "replaceAll",
        ".flat(",
        ".flatMap(",
        ".at(",
        "hasOwn(",
        "fromEntries",
        "allSettled",
        "queueMicrotask",
      ]
    ) {
      assert.ok(!script.includes(late), late);
    }
  },
});
