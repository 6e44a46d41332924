import { strict as assert } from "node:assert";
import { aliases, isOwnFresh } from "../../../scripts/import_map.ts";

Deno.test("modules of the project and renamed packages have an alias, others are found by their name", () => {
  assert.deepEqual(
    aliases({
      "fresh": "./lib/fresh/mod.ts",
      "preact": "npm:preact@10.29.8",
      "preact/": "npm:/preact@10.29.8/",
      "@preact/signals": "npm:@preact/signals@2.11.4",
      "ajv/dist/2020.js": "npm:ajv@8.20.0/dist/2020.js",
      "fresh/runtime": "npm:@jsr/fresh__core@^2.3/runtime",
      "other": "npm:another@1",
    }),
    {
      "fresh": "./lib/fresh/mod.ts",
      "fresh/runtime": "@jsr/fresh__core/runtime",
      "other": "another",
    },
  );
});

Deno.test("a package on JSR is told with what to write instead", () => {
  assert.throws(
    () => aliases({ "fresh/runtime": "jsr:@fresh/core@^2.3/runtime" }),
    /maps "fresh\/runtime" to .* Write "npm:@jsr\/fresh__core@\^2\.3\/runtime" instead, .* \.npmrc/,
  );
  assert.throws(() => aliases({ x: "jsr:odd" }), /npm:@jsr\/SCOPE__NAME/);
  const targets = ["./lib/fresh/mod.ts", "npm:@jsr/fresh__core@2"];
  assert.deepEqual(targets.map((fresh) => isOwnFresh({ fresh })), [true, false]);
});
