/**
 * Films of the past that somebody wants to have: MP4 files, made one at a time behind everything else, and kept until they
 * are deleted. What they take is a part of the past's budget.
 */
import { type Speed, timeText } from "../model/past.ts";
import { join } from "node:path";
import { badInput, ServiceError } from "../errors.ts";
import type { Machine } from "../machine/machine.ts";
import { namesIn, readOrNull, removeTree, writeFileAtomic } from "../machine/os/files.ts";
import { Semaphore } from "../machine/tools/concurrency.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { Part } from "../machine/tools/part.ts";
import type { PastExport } from "../model/answers/shapes.ts";
import { isStreamId, type StreamId } from "../model/id.ts";
import { exportCommand } from "./commands.ts";
import { bytesOf } from "./feed.ts";
import { askedSpeed, askedTime, type Range } from "./query.ts";
import type { StreamPast } from "./rewind.ts";

/** The longest film, in s of the past. */
const MOST_SECONDS = 86_400;
/** Milliseconds for a film: a day takes ten minutes on an idle machine. */
const LIMIT_MS = 3 * 3_600_000;
/** Films of a stream at most. */
const MOST_FILMS = 20;
/** The part of the budget that films may take. */
const BUDGET_SHARE = 0.5;

const SUFFIX = { film: ".mp4", part: ".part", told: ".json" };
const ID = /^[0-9a-f]{8}$/;

/** A film, as its file tells it. */
interface Film {
  id: string;
  start: number;
  end: number;
  speed: Speed;
  madeAt: number;
  bytes: number | null;
  problem: string | null;
}

interface Made {
  film: Film;
  /** Of a film that is being made; null: it waits for others. */
  progress: number | null;
  over: AbortController;
}

export interface ExportsParts {
  /** It has a folder for each stream that has films. */
  folder: string;
  machine: Pick<Machine, "runBytes" | "now">;
  /** Bytes of the past's budget. */
  budget(): Promise<number>;
}

/** What is asked for. @throws {ServiceError} 400. */
export function askedExport(body: unknown): Range & { speed: Speed } {
  const given = Object.entries(Object(body)).filter(([, value]) => /^(string|number)$/.test(typeof value));
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  const [start, end] = ["start", "end"].map((field) => askedTime(query, field));
  if (start >= end) throw badInput({ end: "end is later than start." });
  if (end - start > MOST_SECONDS) {
    throw badInput({
      end: `end is at most ${MOST_SECONDS / 3600} hours after start. Export the time in parts.`,
    });
  }
  return { start, end, speed: askedSpeed(query) };
}

export class Exports implements Part {
  #parts: ExportsParts;
  #films = new Map<string, { stream: StreamId; made: Made }>();
  #turns = new Semaphore(1);
  #under = new Set<Promise<void>>();
  #isStopping = false;

  private constructor(parts: ExportsParts) {
    this.#parts = parts;
  }

  /** @throws {Error} when the folder cannot be read. */
  static async open(parts: ExportsParts): Promise<Exports> {
    const exports = new Exports(parts);
    for (const stream of await namesIn(parts.folder)) {
      if (isStreamId(stream)) await exports.#find(stream);
    }
    return exports;
  }

  /** Nothing to do: films are made when somebody asks for them. */
  start(): void {}

  /** Breaks off what is being made. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const { made } of this.#films.values()) made.over.abort();
    await Promise.all(this.#under);
  }

  /** A stream's films, the newest first. */
  list(stream: StreamId, base: string): PastExport[] {
    return [...this.#films.values()].filter((one) => one.stream === stream)
      .map((one) => shown(one.stream, one.made, base))
      .reverse().sort((one, other) => other.madeAt - one.madeAt);
  }

  /** Has a film made. @throws {ServiceError} 404 where nothing is kept; 409 when there are too many; 507. */
  async add(
    stream: StreamId,
    past: Pick<StreamPast, "film">,
    asked: Range & { speed: Speed },
    base: string,
  ): Promise<PastExport> {
    const all = [...this.#films.values()];
    if (all.filter((one) => one.stream === stream).length >= MOST_FILMS) {
      throw new ServiceError(409, `There are ${MOST_FILMS} exports of this channel: delete one first.`);
    }
    const taken = all.reduce((sum, { made }) => sum + (made.film.bytes ?? 0), 0);
    const most = await this.#parts.budget() * BUDGET_SHARE;
    if (taken >= most) {
      throw new ServiceError(507, "Exports take half of what REWIND_GB allows: delete one first.");
    }
    const { feeds, start, seconds, size } = await past.film(asked);
    const film: Film = {
      id: crypto.randomUUID().slice(0, 8),
      ...asked,
      madeAt: this.#parts.machine.now(),
      bytes: null,
      problem: null,
    };
    const made: Made = { film, progress: null, over: new AbortController() };
    this.#films.set(film.id, { stream, made });
    await this.#tell(stream, film);
    const work = this.#turns.run(async () => {
      made.over.signal.throwIfAborted();
      made.progress = 0;
      const path = this.#path(stream, film.id);
      const command = exportCommand({ start, seconds, speed: film.speed }, size, path + SUFFIX.part);
      const input = bytesOf(feeds, start + seconds, made.over.signal);
      await this.#make(made, command, input, seconds / film.speed);
      await Deno.rename(path + SUFFIX.part, path + SUFFIX.film);
      const bytes = (await Deno.stat(path + SUFFIX.film)).size;
      await this.#tell(stream, { ...film, bytes });
      film.bytes = bytes;
    }).catch((error) => this.#failed(stream, made, error)).then(async () => {
      // what was written while it was deleted
      if (!this.#films.has(film.id)) await this.#clear(stream, film.id, Object.values(SUFFIX));
    }).catch((error) => log("warn", "files of an export stay", { stream, error: errorText(error) }))
      .finally(() => this.#under.delete(work));
    this.#under.add(work);
    return shown(stream, made, base);
  }

  /** Whether this machine has made a film, or is to make it. */
  has(stream: StreamId, id: string): boolean {
    return this.#films.get(id)?.stream === stream;
  }

  /** A film's file and the name for it. @throws {ServiceError} 404 when it is not there yet. */
  file(stream: StreamId, id: string): { path: string; bytes: number; name: string } {
    const { film } = this.#get(stream, id);
    if (film.bytes === null) throw new ServiceError(404, "This export is not made yet.");
    const start = timeText(film.start).replaceAll(":", "-");
    const name = `${stream}-${start}${film.speed > 1 ? `-${film.speed}x` : ""}.mp4`;
    return { path: this.#path(stream, id) + SUFFIX.film, bytes: film.bytes, name };
  }

  /** @throws {ServiceError} 404. */
  async remove(stream: StreamId, id: string): Promise<void> {
    const { over } = this.#get(stream, id);
    this.#films.delete(id);
    over.abort();
    await this.#clear(stream, id, Object.values(SUFFIX));
  }

  /** Forgets the films of a stream that was deleted: their files are gone with it. */
  forget(stream: StreamId): void {
    for (const [id, one] of this.#films) {
      if (one.stream !== stream) continue;
      one.made.over.abort();
      this.#films.delete(id);
    }
  }

  #get(stream: StreamId, id: string): Made {
    const found = this.#films.get(id);
    if (found?.stream !== stream) throw new ServiceError(404, "There is no such export.");
    return found.made;
  }

  #path(stream: StreamId, id: string): string {
    return join(this.#parts.folder, stream, id);
  }

  async #make(
    made: Made,
    command: string[],
    input: AsyncIterable<Uint8Array>,
    seconds: number,
  ): Promise<void> {
    const decoder = new TextDecoder();
    const { code, stderr } = await this.#parts.machine.runBytes(command, {
      timeoutMs: LIMIT_MS,
      signal: made.over.signal,
      input,
      cwd: "/",
      output: (part) => {
        const times = [...decoder.decode(part).matchAll(/^out_time_us=(\d+)$/gm)];
        const us = Number(times.at(-1)?.[1] ?? NaN);
        if (us >= 0) made.progress = Math.min(1, us / 1e6 / seconds);
        return Promise.resolve();
      },
    });
    if (code !== 0) {
      throw new Error(stderr.trim().split("\n").at(-1)?.slice(0, 300) || `ffmpeg ended with ${code}`);
    }
  }

  async #failed(stream: StreamId, { film, over }: Made, error: unknown): Promise<void> {
    await this.#clear(stream, film.id, [SUFFIX.part, SUFFIX.film]);
    if (!this.#films.has(film.id)) return; // deleted meanwhile
    film.problem = over.signal.aborted && this.#isStopping ? INTERRUPTED : errorText(error);
    log("warn", "an export was not made", { stream, error: film.problem });
    await this.#tell(stream, film).catch(() => {});
  }

  async #clear(stream: StreamId, id: string, suffixes: string[]): Promise<void> {
    for (const suffix of suffixes) await removeTree(this.#path(stream, id) + suffix);
  }

  async #tell(stream: StreamId, film: Film): Promise<void> {
    await Deno.mkdir(join(this.#parts.folder, stream), { recursive: true, mode: 0o750 });
    await writeFileAtomic(this.#path(stream, film.id) + SUFFIX.told, JSON.stringify(film), 0o600);
  }

  async #find(stream: StreamId): Promise<void> {
    for (const name of await namesIn(join(this.#parts.folder, stream))) {
      const id = name.slice(0, -SUFFIX.told.length);
      if (!name.endsWith(SUFFIX.told) || !ID.test(id)) continue;
      const film = filmOf(await readOrNull(this.#path(stream, id) + SUFFIX.told));
      if (!film) continue;
      if (film.bytes === null && film.problem === null) {
        film.problem = INTERRUPTED;
        await this.#clear(stream, id, [SUFFIX.part]);
      }
      this.#films.set(id, { stream, made: { film, progress: null, over: new AbortController() } });
    }
  }
}

const INTERRUPTED = "The service was stopped meanwhile.";

function filmOf(text: string | null): Film | null {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return null;
  }
}

function shown(stream: StreamId, { film, progress }: Made, base: string): PastExport {
  const { id, start, end, speed, madeAt, bytes, problem } = film;
  const isDone = bytes !== null;
  const under = progress === null ? "waiting" : "making";
  return {
    id,
    start: timeText(start),
    end: timeText(end),
    speed,
    madeAt,
    state: isDone ? "done" : problem === null ? under : "failed",
    progress: isDone ? 1 : Math.round((progress ?? 0) * 100) / 100,
    bytes,
    problem,
    url: isDone ? `${base}/api/streams/${stream}/rewind/exports/${id}.mp4` : null,
  };
}
