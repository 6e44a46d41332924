/**
 * Handing this process over to another program, as `exec` does in a shell: Deno has no API for it, libc has.
 * A supervised program so costs no idle runtime (45-60 MB) and keeps its pid.
 */

const text = new TextEncoder();

function libc() {
  return Deno.dlopen("libc.so.6", {
    execve: { parameters: ["buffer", "buffer", "buffer"], result: "i32" },
    initgroups: { parameters: ["buffer", "u32"], result: "i32" },
    setresgid: { parameters: ["u32", "u32", "u32"], result: "i32" },
    setresuid: { parameters: ["u32", "u32", "u32"], result: "i32" },
    signal: { parameters: ["i32", "usize"], result: "usize" },
    umask: { parameters: ["u32"], result: "u32" },
  }).symbols;
}

function cString(value: string): Uint8Array<ArrayBuffer> {
  if (value.includes("\0")) throw new TypeError("an argument holds a NUL");
  return text.encode(value + "\0");
}

/** A NULL-terminated `char *[]`; `keep` holds the strings alive until execve has copied them. */
function cStrings(values: string[], keep: Uint8Array[]): BigUint64Array<ArrayBuffer> {
  const pointers = new BigUint64Array(values.length + 1);
  values.forEach((value, at) => {
    const bytes = cString(value);
    keep.push(bytes);
    pointers[at] = BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes)));
  });
  return pointers;
}

export interface Identity {
  name: string;
  uid: number;
  gid: number;
}

/**
 * Gives up root for good, in all threads. Does nothing when not root.
 * The executable starts as root first because the user may not be able to read it (a checkout below /root).
 * @throws {Error} when the kernel refuses: the caller must not go on as root.
 */
export function dropPrivileges(user: Identity): void {
  if (Deno.uid() !== 0) return;
  const c = libc();
  const refused = c.initgroups(cString(user.name), user.gid) !== 0 ||
    c.setresgid(user.gid, user.gid, user.gid) !== 0 ||
    c.setresuid(user.uid, user.uid, user.uid) !== 0;
  if (refused || Deno.uid() !== user.uid) throw new Error(`cannot become user ${user.name}`);
}

/**
 * Replaces this process by a program; returns never.
 * `env` is the program's whole environment: nothing of ours (secrets) leaks into it.
 * @throws {Error} when the program cannot be run.
 */
export function execve(argv: string[], env: Record<string, string>): never {
  const c = libc();
  const keep: Uint8Array[] = [];
  const SIGPIPE = 13;
  c.signal(SIGPIPE, 0n); // the runtime ignores it, and ignored signals survive exec
  c.umask(0o077);
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  c.execve(cString(argv[0]), cStrings(argv, keep), cStrings(settings, keep));
  throw new Error(`${argv[0]} cannot be run (is it installed?)`);
}
