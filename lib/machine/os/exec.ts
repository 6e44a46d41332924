/**
 * The user and the limits of this process, and its change into another program, as `exec` does in a shell: Deno has no
 * API for these, libc has. A process that becomes its program costs no idle runtime (45-60 MB) and keeps its pid.
 */

const text = new TextEncoder();

const SYMBOLS = {
  close: { parameters: ["i32"], result: "i32" },
  close_range: { parameters: ["u32", "u32", "i32"], result: "i32" },
  dup2: { parameters: ["i32", "i32"], result: "i32" },
  execve: { parameters: ["buffer", "buffer", "buffer"], result: "i32" },
  open: { parameters: ["buffer", "i32"], result: "i32" },
  prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  setgroups: { parameters: ["usize", "buffer"], result: "i32" },
  setresgid: { parameters: ["u32", "u32", "u32"], result: "i32" },
  setresuid: { parameters: ["u32", "u32", "u32"], result: "i32" },
  setns: { parameters: ["i32", "i32"], result: "i32" },
  setrlimit: { parameters: ["i32", "buffer"], result: "i32" },
  signal: { parameters: ["i32", "usize"], result: "usize" },
  umask: { parameters: ["u32"], result: "u32" },
  unshare: { parameters: ["i32"], result: "i32" },
} as const;

type Libc = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

function withLibc<Result>(work: (c: Libc) => Result): Result {
  const library = Deno.dlopen("libc.so.6", SYMBOLS);
  try {
    return work(library.symbols);
  } finally {
    library.close();
  }
}

export interface Identity {
  name: string;
  uid: number;
  gid: number;
}

/** The lasting limits of a process and of all its descendants. */
export interface Limits {
  /** Processes and threads that the process's user may have in all; null: as many as before. */
  processes: number | null;
  /** Whether a setuid program may give the process more rights. */
  mayGainRights?: boolean;
}

/** Leaves an id as it is. Source: setresuid(2). */
const SAME = 0xffff_ffff;

/** Whether this process can become another user. */
export function isRoot(): boolean {
  return Deno.uid() === 0;
}

/** Forbids core dumps of this process and its descendants: a dump would hold passwords. */
export function forbidCoreDumps(): void {
  const RLIMIT_CORE = 4;
  setLimit(RLIMIT_CORE, 0);
}

/** Limits this thread's stack to so many bytes, also for the program after `execve`. False: the kernel refuses. */
export function deepenStack(bytes: number): boolean {
  const RLIMIT_STACK = 3;
  return trySetLimit(RLIMIT_STACK, bytes);
}

/**
 * Limits this process's own memory, without what it shares, to so many bytes more than it has now: the runtime reserves
 * half a gigabyte that it never uses. A larger allocation fails, which ends the process in most cases.
 */
export function limitMemory(bytes: number): void {
  const RLIMIT_DATA = 2;
  const [, kibibytes] = /^VmData:\s+(\d+) kB$/m.exec(Deno.readTextFileSync("/proc/self/status"))!;
  setLimit(RLIMIT_DATA, Number(kibibytes) * 1024 + Math.ceil(bytes));
}

/** Takes no huge pages for this process's memory from now on; a kernel that refuses gives them as before. */
export function withoutHugePages(): void {
  const PR_SET_THP_DISABLE = 41;
  withLibc((c) => c.prctl(PR_SET_THP_DISABLE, 1n, 0n, 0n, 0n));
}

function setLimit(resource: number, most: number): void {
  if (!trySetLimit(resource, most)) throw new Error(`limit ${resource} cannot be set to ${most}`);
}

function trySetLimit(resource: number, most: number): boolean {
  const value = BigUint64Array.of(BigInt(most), BigInt(most));
  return withLibc((c) => c.setrlimit(resource, value) === 0);
}

/**
 * Becomes a user for good, in all threads and without groups; does not change the user when we are not root. Sets the
 * limits in both cases. `setpriv` at the exec would be too late: a program's files are made with its user's rights.
 * @param keep a user that `actAs` can still change to, until `forgetKept`.
 * @throws {Error} when the kernel refuses: the caller must not go on as root.
 */
export function becomeUser(user: Identity, limits: Limits, keep: Identity = user): void {
  forbidCoreDumps();
  const RLIMIT_NPROC = 6;
  if (limits.processes !== null) setLimit(RLIMIT_NPROC, limits.processes);
  if (isRoot()) {
    const isRefused = withLibc((c) =>
      c.setgroups(0n, new Uint32Array(0)) !== 0 ||
      c.setresgid(user.gid, user.gid, keep.gid) !== 0 || c.setresuid(user.uid, user.uid, keep.uid) !== 0
    );
    if (isRefused || Deno.uid() !== user.uid) throw new Error(`cannot become user ${user.name}`);
  }
  if (limits.mayGainRights) return;
  const PR_SET_NO_NEW_PRIVS = 38;
  const isSet = withLibc((c) => c.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n)) === 0;
  if (!isSet) throw new Error("no_new_privs cannot be set");
}

/** Gives up the user that `becomeUser` kept. @throws {Error} when the kernel refuses. */
export function forgetKept(user: Identity): void {
  const isForgotten = withLibc((c) =>
    c.setresgid(SAME, user.gid, user.gid) === 0 && c.setresuid(SAME, user.uid, user.uid) === 0
  );
  if (!isForgotten) throw new Error(`cannot be user ${user.name} alone`);
}

/**
 * Runs `work` with another user's rights, so that the kernel judges each read and write: no link in a
 * folder of that user leads us further than that user. Only root, a process that kept that user, or one that is that user, can.
 * @param work must not go on after it has returned: all threads are that user meanwhile.
 */
export function actAs<Result>(user: Identity, work: () => Result): Result {
  const me = { uid: Deno.uid()!, gid: Deno.gid()! };
  if (me.uid === user.uid) return work();
  const isTaken = withLibc((c) => {
    if (me.uid === 0) c.setgroups(0n, new Uint32Array(0));
    return c.setresgid(SAME, user.gid, SAME) === 0 && c.setresuid(SAME, user.uid, SAME) === 0;
  });
  if (!isTaken) throw new Error(`cannot act as user ${user.name}`);
  try {
    return work();
  } finally {
    goBack(me);
  }
}

function goBack({ uid, gid }: { uid: number; gid: number }): void {
  const isBack = withLibc((c) => c.setresuid(SAME, uid, SAME) === 0 && c.setresgid(SAME, gid, SAME) === 0);
  if (!isBack) throw new Error("cannot go back to our own user");
}

/** Source: linux/sched.h */
const CLONE_NEWIPC = 0x0800_0000;

/**
 * Gives this thread and its descendants System V shared memory of their own: no other process can attach to their
 * segments, whatever the mode. False: the kernel refuses; it allows root to do this, but not in each container.
 */
export function leaveSharedMemory(): boolean {
  return withLibc((c) => c.unshare(CLONE_NEWIPC) === 0);
}

/** Shares the shared memory of another process from now on. False: the kernel refuses, or the process has ended. */
export function joinSharedMemory(pid: number): boolean {
  return withLibc((c) => {
    const O_RDONLY_CLOEXEC = 0o2_000_000;
    const file = c.open(cString(`/proc/${pid}/ns/ipc`), O_RDONLY_CLOEXEC);
    if (file < 0) return false;
    const isJoined = c.setns(file, CLONE_NEWIPC) === 0;
    c.close(file);
    return isJoined;
  });
}

/** A text as a C string. @throws {TypeError} when the text holds a NUL. */
export function cString(value: string): Uint8Array<ArrayBuffer> {
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

export interface ExecOptions {
  /** The rights that new files of the program do not get. */
  umask?: number;
  /** Paths of named pipes: the program's files 3, 4, …, each for reading and writing, so that no pipe ever ends. */
  pipes?: readonly string[];
  /** The number of our files from 3 on that are sockets for the program. */
  sockets?: number;
  /** Whether the first socket becomes the program's standard input. */
  isInput?: boolean;
}

/** Opens named pipes and makes them the files 3, 4, … of the program that this process is about to become. */
function placePipes(c: Libc, paths: readonly string[]): void {
  const O_RDWR_CLOEXEC = 0o2_000_002;
  const files = paths.map((path) => c.open(cString(path), O_RDWR_CLOEXEC));
  // the runtime has the first numbers, so that no pipe has a number that is filled below
  if (files.some((file) => file < 3 + paths.length)) throw new Error(`${paths} cannot be opened`);
  files.forEach((file, at) => c.dup2(file, 3 + at));
}

/**
 * Replaces this process by a program; returns never. The program gets no file of ours but the standard three, and the
 * files that the options name.
 * `env` is the program's whole environment: nothing of ours (secrets) leaks into it.
 * @throws {Error} when the program cannot be run.
 */
export function execve(argv: string[], env: Record<string, string>, options: ExecOptions = {}): never {
  const { umask = 0o077, pipes = [], sockets = 0, isInput = false } = options;
  return withLibc((c) => {
    const keep: Uint8Array[] = [];
    const SIGPIPE = 13;
    c.signal(SIGPIPE, 0n); // the runtime ignores this signal, and ignored signals survive exec
    c.umask(umask);
    const CLOSE_RANGE_CLOEXEC = 4;
    // Linux before 5.11 refuses this flag: there we rely on Deno, which opens all files with O_CLOEXEC
    if (isInput) c.dup2(3, 0);
    c.close_range(isInput ? 3 : 3 + sockets, SAME, CLOSE_RANGE_CLOEXEC);
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const [program, words, environment] = [cString(argv[0]), cStrings(argv, keep), cStrings(settings, keep)];
    placePipes(c, pipes); // last: the pipes take the places of files that the runtime uses
    c.execve(program, words, environment);
    throw new Error(`${argv[0]} cannot be run (is it installed?)`);
  });
}
