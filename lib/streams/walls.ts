/** The walls on disk, beside the stream list. */
import { NoSuchWallError, ServiceError } from "../errors.ts";
import { readOrNull, removeTemporaryFiles, writeFileAtomic } from "../system/files.ts";
import { log } from "../system/log.ts";
import { AS_IT_IS, type WriteRoom } from "./store.ts";
import { changedWall, type Wall, wallFromBody } from "./wall.ts";
import { formatWallFile, parseWallFile, type WallFile } from "./wall_file.ts";

/** Names of streams are nobody's business. */
const MODE = 0o600;
/** Characters of the whole file: it is written and sent as a whole. */
const MAX_LENGTH = 1024 * 1024;

export class Walls {
  #path: string;
  #room: WriteRoom;
  #file: WallFile;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(path: string, file: WallFile, room: WriteRoom) {
    this.#path = path;
    this.#room = room;
    this.#file = file;
  }

  /** Opens the file; a missing one has no walls. @throws {WallFileError} when it cannot be used: it stays as it is. */
  static async open(path: string, room = AS_IT_IS): Promise<Walls> {
    await removeTemporaryFiles(path);
    const text = await readOrNull(path);
    if (text === null) return new Walls(path, { walls: [], wrapper: {} }, room);
    await Deno.chmod(path, MODE);
    return new Walls(path, parseWallFile(text, path), room);
  }

  /** All walls, the oldest first. */
  list(): readonly Wall[] {
    return this.#file.walls;
  }

  find(id: string): Wall | undefined {
    return this.#file.walls.find((wall) => wall.id === id);
  }

  /** @throws {ServiceError} 404. */
  get(id: string): Wall {
    const wall = this.find(id);
    if (!wall) throw new NoSuchWallError(id);
    return wall;
  }

  /** @throws {ServiceError} 400, 409. */
  async create(body: unknown): Promise<Wall> {
    let wall!: Wall;
    await this.#change((walls) => {
      wall = wallFromBody(body, walls);
      return [...walls, wall];
    });
    log("info", "wall created", { wall: wall.id });
    return wall;
  }

  /** @param keep whether absent fields stay. @throws {ServiceError} 400, 404, 409. */
  async update(id: string, body: unknown, keep: boolean): Promise<Wall> {
    await this.#change((walls) => {
      if (!walls.some((wall) => wall.id === id)) throw new NoSuchWallError(id);
      return walls.map((wall) => wall.id === id ? changedWall(wall, body, keep) : wall);
    });
    return this.get(id);
  }

  /** @throws {ServiceError} 404. */
  async remove(id: string): Promise<void> {
    await this.#change((walls) => {
      const rest = walls.filter((wall) => wall.id !== id);
      if (rest.length === walls.length) throw new NoSuchWallError(id);
      return rest;
    });
    log("info", "wall removed", { wall: id });
  }

  /** As `StreamStore.change`: nobody sees a change before it is on disk. */
  #change(change: (walls: readonly Wall[]) => readonly Wall[]): Promise<void> {
    const result = this.#last.then(async () => {
      const next = { ...this.#file, walls: change(this.#file.walls) };
      const text = formatWallFile(next);
      if (text.length > MAX_LENGTH && text.length > formatWallFile(this.#file).length) {
        throw new ServiceError(
          409,
          `All walls together would need more than ${MAX_LENGTH / 1024 / 1024} MiB.`,
        );
      }
      await this.#room.use(() => writeFileAtomic(this.#path, text, MODE));
      this.#file = next;
    });
    this.#last = result.catch(() => {});
    return result;
  }
}
