/** The states of supervisord's programs: one XML-RPC call on its unix socket, cached and shared. */
import { request } from "node:http";
import { ServiceError } from "../../errors.ts";
import type { ProgramState } from "../../model/programs.ts";
import { unescapeMarkup } from "../tools/entities.ts";

/** One program; times are Unix seconds. */
export interface Program {
  name: string;
  group: string;
  state: ProgramState;
  pid: number;
  start: number;
  stop: number;
  now: number;
  problem: string;
}

/** Characters of an answer; that about a program has some 100. */
const MOST_ANSWER = 4 * 1024 * 1024;

function post(socketPath: string, body: string, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "text/xml",
      "content-length": String(new TextEncoder().encode(body).length),
    };
    const call = request({ socketPath, path: "/RPC2", method: "POST", headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > MOST_ANSWER) call.destroy(new Error("supervisord's answer does not end"));
      });
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`supervisord answered ${response.statusCode}`));
      });
    });
    const timer = setTimeout(() => call.destroy(new Error("supervisord did not answer in time")), timeoutMs);
    call.on("close", () => clearTimeout(timer));
    call.on("error", reject);
    call.end(body);
  });
}

/** An XML-RPC call (xmlrpc.com/spec): templates/supervisor_programs.py answers with one text. */
const CALL = '<?xml version="1.0"?><methodCall><methodName>programs.all</methodName><params/></methodCall>';

/**
 * Asks supervisord for all its programs.
 * @throws {Error} when it does not answer in time.
 */
export async function askPrograms(socketPath: string, limitMs = 2000): Promise<Program[]> {
  return parsePrograms(await post(socketPath, CALL, limitMs));
}

/**
 * Starts a program that supervisord does not start again, such as a program that was stopped through the socket. A
 * running program is no error. @param name a program of the service itself. @throws {Error} when supervisord does not
 * answer in time.
 */
export async function startProgram(socketPath: string, name: string, limitMs = 2000): Promise<void> {
  const values = [`<string>${name}</string>`, "<boolean>0</boolean>"];
  const params = values.map((value) => `<param><value>${value}</value></param>`).join("");
  const method = "<methodName>supervisor.startProcess</methodName>";
  const call = `<?xml version="1.0"?><methodCall>${method}<params>${params}</params></methodCall>`;
  await post(socketPath, call, limitMs);
}

type Row = [
  name: string,
  group: string,
  state: ProgramState,
  pid: number,
  start: number,
  stop: number,
  problem: string,
];

/** The programs in supervisord's answer. @throws {Error} with supervisord's words when it refuses. */
export function parsePrograms(answer: string): Program[] {
  const text = /<params>\s*<param>\s*<value><string>(.*)<\/string><\/value>/s.exec(answer)?.[1];
  if (text === undefined) {
    const words = /<string>(.*?)<\/string>/s.exec(answer)?.[1] ?? answer.slice(0, 200);
    throw new Error(`supervisord answered: ${unescapeMarkup(words)}`);
  }
  const [now, rows]: [number, Row[]] = JSON.parse(unescapeMarkup(text));
  return rows.map(([name, group, state, pid, start, stop, problem]) => (
    { name, group, state, pid, start, stop, now, problem }
  ));
}

/** The most seconds from an answer's time to its arrival; a clock that is set by less does no harm. */
const LATE_SECONDS = 5;

const NO_ANSWER =
  "The supervisor does not answer, so the streams' states are not known. The service restarts it if it stays so; " +
  "try again in a moment.";

/** Programs by name, from a cache; callers at the same time share one call. */
export class ProgramStatus {
  #ask: () => Promise<Program[]>;
  #maxAgeMs: number;
  #elapsed: () => number;
  /** Seconds that the machine's clock was set forward by, as far as the answers show. */
  #shift = 0;
  /** Unix seconds at the beginning of the steady clock, by the last answer. */
  #begin: number | null = null;
  /** The stamps of the last answer, each with the shift at its time. */
  #stamps = new Map<string, { stamp: number; shift: number }>();
  #cached: { at: number; programs: Promise<Map<string, Program>> } | null = null;

  /** @param maxAgeMs how old an answer may be. @param elapsed ms of a steady clock. */
  constructor(ask: () => Promise<Program[]>, maxAgeMs: number, elapsed: () => number) {
    this.#ask = ask;
    this.#maxAgeMs = maxAgeMs;
    this.#elapsed = elapsed;
  }

  /** @throws {ServiceError} 503 when the supervisor does not answer. */
  programs(maxAgeMs: number = this.#maxAgeMs): Promise<Map<string, Program>> {
    if (this.#cached && this.#elapsed() - this.#cached.at < maxAgeMs) return this.#cached.programs;
    const programs = this.#ask().then((list) => this.#steady(list), (cause) => {
      throw new ServiceError(503, NO_ANSWER, undefined, { cause, retryAfterSeconds: 2 });
    });
    const entry = { at: this.#elapsed(), programs };
    this.#cached = entry;
    programs.catch(() => {
      if (this.#cached === entry) this.#cached = null;
    });
    return programs;
  }

  /**
   * Programs by name, with times of a steady clock. supervisord uses the machine's clock: after this is set back, a new
   * program would seem older than a program that was started before.
   */
  #steady(list: readonly Program[]): Map<string, Program> {
    if (list.length > 0) this.#noteSetClock(list[0].now);
    const before = this.#stamps;
    this.#stamps = new Map();
    const steady = (key: string, stamp: number) => {
      const known = before.get(key);
      const seen = known?.stamp === stamp ? known : { stamp, shift: this.#shift };
      this.#stamps.set(key, seen);
      return stamp === 0 ? 0 : stamp - seen.shift;
    };
    return new Map(list.map((program) => {
      const { name, start, stop, now } = program;
      const times = { start: steady(`${name} start`, start), stop: steady(`${name} stop`, stop) };
      return [name, { ...program, ...times, now: now - this.#shift }];
    }));
  }

  /** Compares the time of the supervisor's clock with the steady clock's, and notes a shift. */
  #noteSetClock(now: number): void {
    const begin = now - this.#elapsed() / 1000;
    const setBy = begin - (this.#begin ?? begin);
    if (Math.abs(setBy) > LATE_SECONDS) this.#shift += Math.round(setBy);
    this.#begin = begin;
  }

  /** Forgets the cache, after a program's start or stop. */
  invalidate(): void {
    this.#cached = null;
  }
}
