/** Which tests of the pages and of e2e run in tests/soak alone. A run says how many it leaves out. */

/** Whether this is `deno task soak`, which runs all of these folders, one file at a time. */
export function hasAllTests(): boolean {
  return Deno.env.get("ALL_TESTS") !== undefined;
}

let leftOut = 0;

globalThis.addEventListener("unload", () => {
  if (leftOut > 0) console.log(`LEFT OUT ${leftOut}`);
});

/**
 * For a test that shows what another one shows, or one on a lower level, in another size, theme, way or rarer case:
 * `inSoak(serviceTest)("name", …)`.
 */
export function inSoak<Register extends (...args: never[]) => void>(register: Register): Register {
  if (hasAllTests()) return register;
  return (() => void leftOut++) as unknown as Register;
}

/** For variants of one test, of which the usual ones are in every run: `unlessUsual(size === "phone", uiTest)(…)`. */
export function unlessUsual<Register extends (...args: never[]) => void>(
  isUsual: boolean,
  register: Register,
): Register {
  return isUsual ? register : inSoak(register);
}

/** Of a test that looks at all sizes and themes: the narrowest size, since all other tests are on a desktop. */
export function isUsualLook(size: string, colorScheme: "dark" | "light"): boolean {
  return size === "phone" && colorScheme === "light";
}
