/** Work of crypto.subtle that is under way in this process. Deno names such a call an async call that a test has left. */
import { same } from "./same.ts";

let underWay = 0;

for (const name of ["decrypt", "deriveKey", "digest", "encrypt", "importKey", "sign", "verify"] as const) {
  const real = SubtleCrypto.prototype[name] as unknown as (...args: unknown[]) => Promise<unknown>;
  Object.assign(SubtleCrypto.prototype, {
    [name](this: SubtleCrypto, ...args: unknown[]) {
      underWay++;
      return real.apply(this, args).finally(() => underWay--);
    },
  });
}

export function ciphersUnderWay(): number {
  return underWay;
}

/** Resolves when none is: at the end of a test in which others still hear what was written last. */
export async function ciphersDone(): Promise<void> {
  await same(ciphersUnderWay, 0);
}
