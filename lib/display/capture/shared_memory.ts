/**
 * Memory without a name that can be handed to another process: Deno has no API for it, libc has. Not System V's:
 * each stream has a namespace of its own for that (lib/display/shared_memory.ts), which this program cannot join.
 */

const SYMBOLS = {
  close: { parameters: ["i32"], result: "i32" },
  fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  ftruncate: { parameters: ["i32", "i64"], result: "i32" },
  memfd_create: { parameters: ["buffer", "u32"], result: "i32" },
  mmap: { parameters: ["pointer", "usize", "i32", "i32", "i32", "i64"], result: "pointer" },
  munmap: { parameters: ["pointer", "usize"], result: "i32" },
} as const;

/** Source: linux/memfd.h, linux/fcntl.h, bits/mman-linux.h */
const [MFD_CLOEXEC, MFD_ALLOW_SEALING] = [1, 2];
const [F_ADD_SEALS, F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW] = [1033, 1, 2, 4];
const [PROT_READ, MAP_SHARED] = [1, 1];

const FAILED = 0xffff_ffff_ffff_ffffn;

export const MEMORY_NAME = "browser-stream-display";

export class SharedMemory implements Disposable {
  /** The file's descriptor, until `handedOver`. */
  readonly file: number;
  #library = Deno.dlopen("libc.so.6", SYMBOLS);
  #size: bigint;
  #isFileOpen = true;
  #address: Deno.PointerObject | null = null;
  #bytes: Uint8Array | null = null;

  /** @param size bytes. @throws {Error} when the kernel refuses. */
  constructor(size: number) {
    const { symbols } = this.#library;
    this.#size = BigInt(size);
    this.file = symbols.memfd_create(
      new TextEncoder().encode(`${MEMORY_NAME}\0`),
      MFD_CLOEXEC | MFD_ALLOW_SEALING,
    );
    // a server could shorten an unsealed file: we would read behind the file's end, which would end us
    const seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    const isSealed = this.file >= 0 && symbols.ftruncate(this.file, this.#size) === 0 &&
      symbols.fcntl(this.file, F_ADD_SEALS, seals) === 0;
    const address = isSealed ? symbols.mmap(null, this.#size, PROT_READ, MAP_SHARED, this.file, 0n) : null;
    if (address === null || Deno.UnsafePointer.value(address) === FAILED) {
      this.handedOver();
      this.#library.close();
      throw new Error("there is no shared memory");
    }
    this.#address = address;
    this.#bytes = new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(address, size));
  }

  /** The content, for reading only. Use it at once: no byte may be touched after the end. */
  get bytes(): Uint8Array {
    if (!this.#bytes) throw new Error("the shared memory has been given back");
    return this.#bytes;
  }

  /** Closes the file: the X server has the memory. */
  handedOver(): void {
    if (this.#isFileOpen && this.file >= 0) this.#library.symbols.close(this.file);
    this.#isFileOpen = false;
  }

  [Symbol.dispose](): void {
    if (!this.#address) return;
    this.#bytes = null;
    this.handedOver();
    this.#library.symbols.munmap(this.#address, this.#size);
    this.#address = null;
    this.#library.close();
  }
}
