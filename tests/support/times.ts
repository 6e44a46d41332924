/** What tests with real programs measure: printed for the table at the end of a run, and judged by `deno task soak` alone. */
import assert from "node:assert/strict";
import { hasAllTests } from "./soak.ts";

/**
 * Tells how long something took. @param seconds of a steady clock.
 * @param most seconds that it may take on a machine that does nothing else. @throws {AssertionError} in soak, when it took longer.
 */
export function tellTime(what: string, seconds: number, most = Infinity): void {
  console.log(`TIME ${what} ${seconds.toFixed(1)}`);
  if (hasAllTests()) assert.ok(seconds < most, `${what}: ${seconds} s, at most ${most}`);
}
