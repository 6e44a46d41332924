/** Which tests `deno task test` leaves to `deno task test --all`, which CI runs. */

/** Whether this run has the long tests too; a file that is run by itself has all of its tests. */
export const HAS_LONG = Deno.env.get("TEST_LENGTH") !== "short";

/**
 * For a test that takes the real programs ten seconds and more, or shows what another test shows in another size or way, or
 * a rarer case of it: `long(serviceTest)("name", …)`. It is not registered in a short run.
 */
export function long<Register extends (...args: never[]) => void>(register: Register): Register {
  return HAS_LONG ? register : (() => {}) as unknown as Register;
}

/** For variants of one test, of which `isShort` ones are in every run: `longUnless(size === "phone", uiTest)(…)`. */
export function longUnless<Register extends (...args: never[]) => void>(
  isShort: boolean,
  register: Register,
): Register {
  return isShort ? register : long(register);
}

/**
 * Whether a short run has the size and theme of a test that looks at all of them: the narrowest one, since all other tests
 * are on a desktop.
 */
export function isShownShort(size: string, colorScheme: "dark" | "light"): boolean {
  return size === "phone" && colorScheme === "light";
}
