/** The films of a channel's past, as its page knows them: asked for while somebody waits for one, or looks at them. */
import type { PastExport } from "../../../lib/model/answers/shapes.ts";
import { timeText } from "../../../lib/model/past.ts";
import { batch, computed, signal } from "@preact/signals";
import { ApiError, problemOf, request } from "../../client/api.ts";
import { apiPath } from "../../client/apiPath.ts";
import { type Connection, connectionAfter } from "../../client/connection.ts";
import type { Range } from "../past.ts";

export interface Film extends Omit<PastExport, "start" | "end">, Range {}

const seconds = (time: string) => Date.parse(time) / 1000;
const filmOf = ({ start, end, ...film }: PastExport): Film => ({
  ...film,
  start: seconds(start),
  end: seconds(end),
});

export const isUnderWay = ({ state }: Film) => state === "waiting" || state === "making";

export class Exports {
  readonly id: string;
  /** Null: not known yet. */
  readonly films = signal<readonly Film[] | null>(null);
  readonly connection = signal<Connection>("up");
  /** Why the list cannot be read. */
  readonly problem = signal("");
  readonly isOpen = signal(false);
  /** The film that is being made, or is next; undefined: none is. */
  readonly current = computed(() => {
    const films = this.films.value ?? [];
    return films.find(({ state }) => state === "making") ?? films.find(isUnderWay);
  });
  #onEnd: (film: Film) => void;
  /** Counts what this page has changed: an answer that was on its way meanwhile is out of date. */
  #changes = 0;

  /** @param onEnd is told of each film that is done or has failed while the page waits for it. */
  constructor(id: string, onEnd: (film: Film) => void) {
    this.id = id;
    this.#onEnd = onEnd;
  }

  /** Whether somebody waits for news. */
  get isWatched(): boolean {
    return this.isOpen.value || this.current.value !== undefined;
  }

  /** Asks for the list. @throws {ApiError} */
  async read(): Promise<void> {
    const changes = this.#changes;
    try {
      const films = await request<PastExport[]>("GET", apiPath`/streams/${this.id}/rewind/exports`, {
        timeoutMs: 10_000,
      });
      if (changes === this.#changes) this.#take(films.map(filmOf));
      batch(() => {
        this.connection.value = "up";
        this.problem.value = "";
      });
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  /** Has a film made. @throws {ApiError} */
  async add({ start, end }: Range, speed: number): Promise<Film> {
    const body = { start: timeText(start), end: timeText(end), speed };
    const film = await this.#change(async () =>
      filmOf(await request<PastExport>("POST", apiPath`/streams/${this.id}/rewind/exports`, { body }))
    );
    this.films.value = [film, ...(this.films.value ?? []).filter(({ id }) => id !== film.id)];
    return film;
  }

  /** Deletes a film; one that is gone already is, too. @throws {ApiError} */
  async remove({ id }: Film): Promise<void> {
    await this.#change(async () => {
      try {
        await request<void>("DELETE", apiPath`/streams/${this.id}/rewind/exports/${id}`);
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 404)) throw error;
      }
    });
    this.films.value = (this.films.value ?? []).filter((film) => film.id !== id);
  }

  /** Has a film made anew that has failed. @throws {ApiError} */
  async retry(film: Film): Promise<void> {
    try {
      await this.add(film, film.speed);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409)) throw error;
      // it may itself be the one too many
      await this.remove(film);
      await this.add(film, film.speed);
      return;
    }
    await this.remove(film);
  }

  async #change<Result>(change: () => Promise<Result>): Promise<Result> {
    try {
      return await change();
    } catch (error) {
      const isOfSession = error instanceof ApiError && (error.status === 401 || error.isOfProxy);
      if (isOfSession) this.connection.value = connectionAfter(error);
      throw error;
    } finally {
      this.#changes++;
    }
  }

  /** The service's order; while it is looked at, what others add comes last: nothing moves under the pointer. */
  #take(films: Film[]): void {
    const known = this.films.value ?? [];
    const last = new Map(known.map((film) => [film.id, film]));
    const place = new Map(known.map(({ id }, at) => [id, at]));
    if (this.isOpen.value && known.length > 0) {
      films.sort((one, other) => (place.get(one.id) ?? known.length) - (place.get(other.id) ?? known.length));
    }
    this.films.value = films;
    for (const film of films) {
      const before = last.get(film.id);
      if (before && isUnderWay(before) && !isUnderWay(film)) this.#onEnd(film);
    }
  }

  #failed(error: unknown): void {
    const { status, isOfProxy } = error instanceof ApiError ? error : { status: 0, isOfProxy: false };
    const isRefused = !isOfProxy && status >= 400 && status < 500 && status !== 401;
    batch(() => {
      this.connection.value = isRefused ? "up" : connectionAfter(error);
      this.problem.value = isRefused ? problemOf(error) : "";
    });
  }
}
