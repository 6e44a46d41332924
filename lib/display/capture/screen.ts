/** A display that is read where it changes: X reports a change, and copies the rows into shared memory. */
import { XConnection } from "../x11/connection.ts";
import { attachFile, type Segment } from "../x11/descriptor.ts";
import { DAMAGE, regionExtents, SHM, XFIXES } from "../x11/extensions.ts";
import type { PixelSource, Rows, Size } from "./picture.ts";
import { SharedMemory } from "./shared_memory.ts";

/** Milliseconds until a display must have answered: a full machine is slow, and viewers would see a restart. */
const ANSWER_MS = 10_000;

const BYTES_OF_PIXEL = 4;

export class Screen implements PixelSource, Disposable {
  readonly size: Size;
  /** Called at a change, and again only after `readChanges`, which has to be called at the beginning as well. */
  ondamage: () => void = () => {};
  #x: XConnection;
  #memory: SharedMemory;
  #opcodes = { shm: 0, damage: 0, fixes: 0 };
  #segment: Segment | null = null;
  #damage = 0;
  #region = 0;

  private constructor(x: XConnection, memory: SharedMemory) {
    const { width, height } = x.screen;
    this.size = { width, height };
    this.#x = x;
    this.#memory = memory;
  }

  /**
   * @param path the display's socket. @param size of the stream's display: another size is of another server.
   * @param attach has the X server attach a file of memory.
   * @throws {Error} when the display does not answer, has another size, or lacks an extension.
   */
  static async open(path: string, cookie: Uint8Array, size: Size, attach = attachFile): Promise<Screen> {
    const x = await XConnection.open(path, cookie, ANSWER_MS);
    let screen: Screen | null = null;
    try {
      const { width, height, isBgrx } = x.screen;
      if (width !== size.width || height !== size.height) {
        throw new Error(`the display is ${width}x${height} and should be ${size.width}x${size.height}`);
      }
      if (!isBgrx) throw new Error("the display's pixels are of another kind");
      screen = new Screen(x, new SharedMemory(width * height * BYTES_OF_PIXEL));
      screen.#segment = await attach(path, cookie, screen.#memory.file, ANSWER_MS);
      screen.#memory.handedOver();
      await screen.#prepare();
      return screen;
    } catch (error) {
      (screen ?? x)[Symbol.dispose]();
      throw error;
    }
  }

  /** Resolves when the display has gone. */
  get ended(): Promise<void> {
    return this.#x.ended;
  }

  /** The pixels of some rows. Use them at once. */
  pixels({ top, bottom }: Rows): Uint8Array {
    const stride = this.size.width * BYTES_OF_PIXEL;
    return this.#memory.bytes.subarray(top * stride, bottom * stride);
  }

  /** Reads the changed rows; null: no row has changed. @throws {Error} when the display has gone. */
  async readChanges(): Promise<Rows | null> {
    const { damage, fixes } = this.#opcodes;
    this.#x.send(DAMAGE.subtract(damage, this.#damage, this.#region));
    const region = regionExtents(await this.#x.answer(XFIXES.fetchRegion(fixes, this.#region)));
    const top = Math.max(0, region.y);
    const bottom = Math.min(this.size.height, region.y + region.height);
    if (region.width === 0 || top >= bottom) return null;
    await this.#read({ top, bottom });
    return { top, bottom };
  }

  [Symbol.dispose](): void {
    this.#x[Symbol.dispose]();
    this.#segment?.[Symbol.dispose]();
    this.#memory[Symbol.dispose]();
  }

  async #read({ top, bottom }: Rows): Promise<void> {
    const { width } = this.size;
    const area = { x: 0, y: top, width, height: bottom - top };
    const offset = top * width * BYTES_OF_PIXEL;
    const { id } = this.#segment!;
    await this.#x.answer(SHM.getImage(this.#opcodes.shm, this.#x.screen.root, area, id, offset));
  }

  async #prepare(): Promise<void> {
    const x = this.#x;
    const [shm, damage, fixes] = await Promise.all(
      [SHM, DAMAGE, XFIXES].map(({ name }) => x.extension(name)),
    );
    this.#opcodes = { shm: shm.opcode, damage: damage.opcode, fixes: fixes.opcode };
    // a server refuses requests of a version that was not agreed on
    await x.answer(DAMAGE.queryVersion(damage.opcode));
    await x.answer(XFIXES.queryVersion(fixes.opcode));
    [this.#damage, this.#region] = [x.newId(), x.newId()];
    x.onevent = (code) => {
      if (code === damage.firstEvent) this.ondamage();
    };
    x.send(
      XFIXES.createRegion(fixes.opcode, this.#region),
      // first this: changes during the first read of the picture are read again
      DAMAGE.create(damage.opcode, this.#damage, x.screen.root),
    );
    await this.#read({ top: 0, bottom: this.size.height });
  }
}
