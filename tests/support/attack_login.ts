/**
 * The login of the services that are attacked. The suite attacks them with one, which has more to protect; without it, where
 * nothing but users and origins stands in the way, they are attacked by tests/soak/attacks_without_login_test.ts.
 */
const WITHOUT = "ATTACK_WITHOUT_LOGIN";

/** Has the tests that are loaded after this attack services without a login. */
export function attackWithoutLogin(): void {
  Deno.env.set(WITHOUT, "1");
}

/** Variables of a service that is attacked. */
export function attackLogin(): Record<string, string> {
  return Deno.env.has(WITHOUT) ? {} : { AUTH_USER: "operator", AUTH_PASS: "a-good-passphrase" };
}
