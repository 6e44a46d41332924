/** Which tests of the pages and of e2e run in tests/soak alone. A run says how many it leaves out. */

/** Whether this is `deno task soak`, which runs all of these folders, one file at a time. */
export function hasAllTests(): boolean {
  return Deno.env.get("ALL_TESTS") !== undefined;
}

let leftOut = 0;

globalThis.addEventListener("unload", () => {
  if (leftOut > 0) console.log(`LEFT OUT ${leftOut}`);
});

/** For a test of a rarer case that no other test shows, on no level: `inSoak(serviceTest)("name", …)`. */
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
