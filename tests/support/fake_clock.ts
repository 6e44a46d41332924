/**
 * Virtual time for what runs in this process: timers, dates and performance.now() stand still until a test lets time go by.
 * Files, ciphers, processes and promises stay real, and are waited for before time goes on. Sockets are not: what runs in
 * virtual time has none.
 * (@sinonjs/fake-timers does not wait for files, which is most of it.)
 */
import { setImmediate } from "node:timers";
import { ciphersUnderWay } from "./ciphers.ts";

/** What a test sees at first: a Monday, so that plans of the week are the same every day. */
const BEGIN = Date.UTC(2026, 0, 5, 12);

/** So many turns of the event loop in which no file was waited for: whatever was begun waits for time to go by. */
const CALM_TURNS = 6;

type Method = (...args: unknown[]) => unknown;

/** Counts what waits for a file, which is whatever of Deno's has a twin that does not wait, or for a process's end. */
class WorkWatch implements Disposable {
  pending = 0;
  #undo: (() => void)[] = [];

  constructor() {
    this.#watch(Deno as unknown as Record<string, Method>);
    this.#watch(Deno.FsFile.prototype as unknown as Record<string, Method>);
    const { spawn } = Deno.Command.prototype;
    const count = (child: Deno.ChildProcess) => void this.#count(child.status);
    Deno.Command.prototype.spawn = function () {
      const child = spawn.call(this);
      count(child);
      return child;
    };
    this.#undo.push(() => Deno.Command.prototype.spawn = spawn);
  }

  #count<Result>(work: Promise<Result>): Promise<Result> {
    this.pending++;
    return work.finally(() => this.pending--);
  }

  [Symbol.dispose](): void {
    for (const undo of this.#undo) undo();
  }

  #watch(owner: Record<string, Method>): void {
    const count = <Result>(work: Promise<Result>) => this.#count(work);
    for (const name of Object.getOwnPropertyNames(owner).filter((one) => `${one}Sync` in owner)) {
      const real = owner[name];
      owner[name] = function (this: unknown, ...args) {
        const result = real.apply(this, args);
        if (result instanceof Promise) return count(result);
        const entries = result as AsyncIterable<unknown>;
        return Symbol.asyncIterator in entries ? counted(entries, count) : result;
      };
      this.#undo.push(() => owner[name] = real);
    }
  }
}

/** The same entries, each of which is waited for by `count`. */
function counted<T>(
  entries: AsyncIterable<T>,
  count: (work: Promise<IteratorResult<T>>) => Promise<IteratorResult<T>>,
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = entries[Symbol.asyncIterator]();
      return { next: () => count(iterator.next()) };
    },
  };
}

interface Timer {
  at: number;
  /** Of those at the same moment, the one that was set first fires first. */
  number: number;
  everyMs: number | null;
  fire: () => void;
}

export class FakeClock implements Disposable {
  #real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval,
    Date: globalThis.Date,
  };
  #realNow = performance.now;
  #work = new WorkWatch();
  #elapsedMs = 0;
  /** What somebody has set the machine's clock forward by. */
  #setMs = 0;
  #timers = new Map<number, Timer>();
  #count = 0;

  /** Takes the place of the real clock until it is disposed of. */
  constructor() {
    // deno-lint-ignore no-this-alias -- a class has a `this` of its own
    const clock = this;
    const RealDate = this.#real.Date;
    class FakeDate extends RealDate {
      constructor(...given: [] | [number | string | Date]) {
        super(...(given.length > 0 ? given : [clock.now()]) as [number]);
      }
      static override now = () => clock.now();
    }
    const set = (fire: () => void, ms: number | undefined, repeats: boolean) => {
      const delay = Math.max(0, ms ?? 0);
      const number = ++this.#count;
      const everyMs = repeats ? Math.max(1, delay) : null;
      this.#timers.set(number, { at: this.#elapsedMs + delay, number, everyMs, fire });
      return number;
    };
    const clear = (number?: number) => void this.#timers.delete(number!);
    Object.assign(globalThis, {
      setTimeout: (fire: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
        set(() => fire(...args), ms, false),
      setInterval: (fire: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
        set(() => fire(...args), ms, true),
      clearTimeout: clear,
      clearInterval: clear,
      Date: FakeDate,
    });
    performance.now = () => this.#elapsedMs;
  }

  /** Unix ms. */
  now(): number {
    return BEGIN + this.#elapsedMs + this.#setMs;
  }

  /** Milliseconds of the steady clock. */
  elapsed(): number {
    return this.#elapsedMs;
  }

  /** Sets the machine's clock, as a person or a time server does: no timer is nearer by that. */
  set(ms: number): void {
    this.#setMs += ms;
  }

  /** Lets time go by: timers fire at their moments, in their order. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsedMs + ms;
    for (;;) {
      await this.#giveTurns();
      const next = this.#next();
      if (!next || next.at > end) break;
      this.#elapsedMs = Math.max(this.#elapsedMs, next.at);
      for (let due = next; due && due.at <= this.#elapsedMs; due = this.#next()!) this.#fire(due);
    }
    this.#elapsedMs = end;
    await this.#giveTurns();
  }

  [Symbol.dispose](): void {
    Object.assign(globalThis, this.#real);
    performance.now = this.#realNow;
    this.#work[Symbol.dispose]();
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers.values()) {
      if (!next || timer.at < next.at || (timer.at === next.at && timer.number < next.number)) next = timer;
    }
    return next;
  }

  #fire(timer: Timer): void {
    if (timer.everyMs === null) this.#timers.delete(timer.number);
    else timer.at += timer.everyMs;
    timer.fire();
  }

  /** Lets what was begun go on until it waits for time to go by. */
  async #giveTurns(): Promise<void> {
    const isWorking = () => this.#work.pending > 0 || ciphersUnderWay() > 0;
    for (let calm = 0; calm < CALM_TURNS; calm = isWorking() ? 0 : calm + 1) {
      await new Promise<void>((done) => void setImmediate(done));
    }
  }
}
