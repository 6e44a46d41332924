/** All tests of the pages, with the sizes, themes and rarer cases that other runs leave out. */
import { ALL_TESTS } from "../support/soak.ts";
import { testFiles } from "../../scripts/test_plan.ts";

Deno.env.set(ALL_TESTS, "1");
for (const file of testFiles("tests/pages")) await import(`../../${file}`);
