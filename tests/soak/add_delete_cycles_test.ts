import { checkCycles } from "../support/cycles.ts";

Deno.test("2 create and delete cycles leave processes, descriptors and files as they were", () =>
  checkCycles(2));
