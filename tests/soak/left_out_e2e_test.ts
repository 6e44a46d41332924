/** All tests with real programs, with the rarer cases that other runs leave out. */
import { ALL_TESTS } from "../support/soak.ts";
import { testFiles } from "../../scripts/test_plan.ts";

Deno.env.set(ALL_TESTS, "1");
for (const file of testFiles("tests/e2e")) await import(`../../${file}`);
