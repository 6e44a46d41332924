/** The walls on disk, beside the stream list. */
import { NoSuchWallError, ServiceError } from "../errors.ts";
import { log } from "../machine/tools/log.ts";
import type { Shareable } from "./shared_text.ts";
import { AS_IT_IS, type FileFormat, StoredFile } from "./stored_file.ts";
import type { WallsImported } from "../model/answers/shapes.ts";
import { planWallImport } from "../model/wall/backup.ts";
import { changedWall, type Wall, wallFromBody } from "../model/wall/wall.ts";
import { formatWallFile, parseWallFile, type WallFile } from "../model/wall/file.ts";

/** Characters of the whole file, which is written and sent as a whole. */
const MAX_LENGTH = 1024 * 1024;

const tooLong = () =>
  new ServiceError(409, `All walls together would need more than ${MAX_LENGTH / 1024 / 1024} MiB.`);

function formatOf(path: string): FileFormat<WallFile> {
  return {
    empty: { walls: [], wrapper: {} },
    parse: (text) => parseWallFile(text, path),
    format: formatWallFile,
    limit: { length: MAX_LENGTH, problem: tooLong },
  };
}

export class Walls {
  #file: StoredFile<WallFile>;

  private constructor(file: StoredFile<WallFile>) {
    this.#file = file;
  }

  /** Opens the file; a missing file has no walls. @throws {WallFileError} when the file cannot be used: it stays. */
  static async open(path: string, room = AS_IT_IS): Promise<Walls> {
    return new Walls(await StoredFile.open(path, formatOf(path), room));
  }

  /** The file, which a cluster's nodes share. */
  get shareable(): Shareable {
    return this.#file;
  }

  /** All walls, the oldest first. */
  list(): readonly Wall[] {
    return this.#file.content.walls;
  }

  find(id: string): Wall | undefined {
    return this.list().find((wall) => wall.id === id);
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

  /** The changes that an import would make. @param hasStream as of `planWallImport`. @throws {ServiceError} 400. */
  previewImport(content: unknown, hasStream: (id: string) => boolean): WallsImported {
    return planWallImport(content, this.list(), hasStream).summary;
  }

  /** Takes over the walls of a file. @throws {ServiceError} 400, 409. */
  async import(content: unknown, hasStream: (id: string) => boolean): Promise<WallsImported> {
    let summary = this.previewImport(content, hasStream);
    if (summary.added.length + summary.changed.length === 0) return summary;
    await this.#change((walls) => {
      const plan = planWallImport(content, walls, hasStream);
      summary = plan.summary;
      return plan.walls;
    });
    log("info", "walls imported", { added: summary.added.length, changed: summary.changed.length });
    return summary;
  }

  #change(change: (walls: readonly Wall[]) => readonly Wall[]): Promise<void> {
    return this.#file.change((file) => ({ ...file, walls: change(file.walls) }));
  }
}
