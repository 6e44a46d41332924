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
  name: "the players' script is small and has no syntax after ES2017",
  ...options,
  fn: async () => {
    const script = await bundlePlayer();
    assert.ok(script.length < 16_000, `${script.length} bytes`);
    assert.ok(await isOldEnough(script));
    const library = await Deno.readTextFile("node_modules/hls.js/dist/hls.light.min.js");
    assert.ok(await isOldEnough(library), "hls.js");
    for (const late of ["a?.b", "a ?? b", "a ||= b", "({...a})", "try {} catch {}", "class A { #a }"]) {
      assert.equal(await isOldEnough(late), false, late);
    }
    await stop();
  },
});

Deno.test({
  name: "it uses nothing that browsers of 2017 lack",
  ...options,
  fn: async () => {
    const script = await bundlePlayer();
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
