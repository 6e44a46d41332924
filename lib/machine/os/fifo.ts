/**
 * Named pipes to another program, used without ever waiting: a read or write by Deno keeps one of its few threads until
 * the other program does its part, which a hanging program never does.
 */
import { cString } from "./exec.ts";

const SYMBOLS = {
  close: { parameters: ["i32"], result: "i32" },
  mkfifo: { parameters: ["buffer", "u32"], result: "i32" },
  open: { parameters: ["buffer", "i32"], result: "i32" },
  poll: { parameters: ["buffer", "u64", "i32"], result: "i32" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
} as const;

/** Source: fcntl.h and poll.h of Linux. */
const O_WRONLY_NONBLOCK_CLOEXEC = 0o2_004_001;
const POLLOUT = 4;
const POLLERR = 8;

/** Makes a named pipe, whatever the umask. @throws {Error} when the kernel refuses. */
export async function makeFifo(path: string, mode: number): Promise<void> {
  using library = new Libc();
  if (library.symbols.mkfifo(cString(path), 0o600) !== 0) throw new Error(`${path} cannot be made`);
  await Deno.chmod(path, mode);
}

class Libc implements Disposable {
  #library = Deno.dlopen("libc.so.6", SYMBOLS);

  get symbols(): Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] {
    return this.#library.symbols;
  }

  [Symbol.dispose](): void {
    this.#library.close();
  }
}

/** The writing end of a named pipe that has a reader. */
export class FifoWriter implements Disposable {
  #libc: Libc;
  #file: number;
  /** A `struct pollfd`: the file, the requested events, the returned events. */
  #poll = new DataView(new ArrayBuffer(8));

  /** @throws {Error} when the pipe has no reader. */
  constructor(path: string) {
    this.#libc = new Libc();
    this.#file = this.#libc.symbols.open(cString(path), O_WRONLY_NONBLOCK_CLOEXEC);
    if (this.#file < 0) {
      this.#libc[Symbol.dispose]();
      throw new Error(`nobody reads ${path}`);
    }
    this.#poll.setInt32(0, this.#file, true);
    this.#poll.setInt16(4, POLLOUT, true);
  }

  /**
   * Writes as many bytes as the pipe has room for.
   * @returns the number of bytes; 0: the pipe is full. @throws {Error} when the pipe has no reader any more.
   */
  write(bytes: Uint8Array<ArrayBuffer>): number {
    const seen = this.#look();
    if (seen & POLLERR) throw new Error("nobody reads any more");
    if (!(seen & POLLOUT)) return 0;
    return Math.max(0, Number(this.#libc.symbols.write(this.#file, bytes, BigInt(bytes.length))));
  }

  /** Whether a process has the pipe open for reading. */
  get hasReader(): boolean {
    return this.#file >= 0 && (this.#look() & POLLERR) === 0;
  }

  #look(): number {
    this.#poll.setInt16(6, 0, true);
    this.#libc.symbols.poll(new Uint8Array(this.#poll.buffer), 1n, 0);
    return this.#poll.getInt16(6, true);
  }

  [Symbol.dispose](): void {
    if (this.#file < 0) return;
    this.#libc.symbols.close(this.#file);
    this.#file = -1;
    this.#libc[Symbol.dispose]();
  }
}

/**
 * Reads a named pipe by a `cat` that ends with us, however we end. The `cat` ends by itself when the pipe has no writer
 * any more.
 */
export function readFifo(path: string): Deno.ChildProcess {
  return new Deno.Command("/usr/bin/setpriv", {
    args: ["--pdeathsig", "KILL", "--", "/bin/cat", "--", path],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
    cwd: "/",
  }).spawn();
}
