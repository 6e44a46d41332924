/**
 * Streams that live in memory, by a fake clock: their programs die and hang as real ones do, supervisord starts what has
 * ended, encoders write, and browsers show pages. Everything that looks after them is the service's own.
 */
import { utimesSync } from "node:fs";
import type { Config } from "../../lib/config.ts";
import { sharedQuestions } from "../../lib/live/programs/shared_questions.ts";
import { SHARED_NAMES, type SharedName } from "../../lib/live/programs/shared_words.ts";
import { playlistFile } from "../../lib/channel/media/hls.ts";
import type { Paths } from "../../lib/paths.ts";
import { displayQuestion } from "../../lib/live/programs/commands/probe.ts";
import { isStreamId, type StreamId, streamId } from "../../lib/model/id.ts";
import { PIPELINE_PROGRAMS, type ProgramKind } from "../../lib/model/programs.ts";
import { programName } from "../../lib/machine/supervisor/program_files.ts";
import { aProgram } from "./fixture.ts";
import { FakeBrowser } from "./fake_browser.ts";
import type { FakeMachine } from "./machine.ts";

/** From a process's end until supervisord, which looks once a second, has started the next. */
const RESTART_MS = 1000;
/** From a browser's start to its window. */
const WINDOW_MS = 1000;

interface Process {
  pid: number;
  /** Unix seconds, which supervisord tells. */
  start: number;
  /** Milliseconds of the steady clock. */
  at: number;
}

export class LivingStreams implements Disposable {
  #machine: FakeMachine;
  #paths: Paths;
  #stoppedMs: number;
  #browsers = new Map<StreamId, FakeBrowser>();
  /** By a program's name. */
  #processes = new Map<string, Process>();
  #stops = new Map<string, number>();
  /** Names of programs that do nothing any more, until they get another pid. */
  #hung = new Map<string, number>();
  /** Streams whose encoders are connected to a media server, by its pid. */
  #published = new Map<StreamId, number>();
  /** Displays that another user of the machine has. */
  #taken = new Set<number>();
  #looksFree = new Set<number>();
  #takesNext = 0;
  /** Streams whose encoders write nothing, with the time in Unix seconds of their last segment. */
  #still = new Map<StreamId, number>();
  /** Takes each second of each channel. */
  onsegment: (id: StreamId) => void = () => {};
  #timer: ReturnType<typeof setInterval>;

  /** Takes over a machine before a service is built on it. */
  constructor(machine: FakeMachine, paths: Paths, config: Config) {
    this.#machine = machine;
    this.#paths = paths;
    this.#stoppedMs = config.TIMINGS.life.stoppedMs;
    const { supervisord } = machine;
    for (const name of SHARED_NAMES) supervisord.add(aProgram(name, { pid: 0, state: "STOPPED" }));
    for (const name of SHARED_NAMES) supervisord.revive(name);
    this.#note();
    machine.run = async (argv, options) => {
      const answer = await supervisord.run(argv, options);
      this.#note();
      for (const [id, seconds] of this.#still) this.#date(id, seconds);
      return answer;
    };
    machine.programs = async () =>
      (await supervisord.programs()).map((program) => ({
        ...program,
        start: this.#processes.get(program.name)?.start ?? 0,
        stop: this.#stops.get(program.name) ?? 0,
        now: Math.floor(Date.now() / 1000),
      }));
    machine.browsers = {
      of: (id) => this.browser(id).control,
      serve: () => Promise.resolve(),
      stop: () => Promise.resolve(),
    };
    const questions = Object.entries(sharedQuestions(config, paths));
    machine.answers = (question) => {
      const asked = JSON.stringify(question);
      const shared = questions.find(([, own]) => own.some((one) => JSON.stringify(one) === asked))?.[0];
      const display = [...this.#displays()].find(([, number]) =>
        JSON.stringify(displayQuestion(number)) === asked
      );
      return Promise.resolve(!this.isHung(shared ?? (display ? programName("display", display[0]) : "")));
    };
    machine.isDisplayFree = (display) => {
      const isFree = !this.#taken.has(display) || this.#looksFree.has(display);
      if (isFree && this.#takesNext-- > 0) this.takeDisplay(display);
      return Promise.resolve(isFree);
    };
    machine.isDisplayTaken = (display) => Promise.resolve(this.#taken.has(display));
    machine.broker.hasSound = (id) => Promise.resolve(!this.isHung(programName("audio", id)));
    this.#timer = setInterval(() => this.#write(), 1000);
  }

  browser(id: StreamId): FakeBrowser {
    const known = this.#browsers.get(id) ?? new FakeBrowser();
    this.#browsers.set(id, known);
    return known;
  }

  /** The pid of a program such as "encoder-clock"; 0 while it is down. */
  pid(name: string): number {
    return this.#processes.get(name)?.pid ?? 0;
  }

  isHung(name: string): boolean {
    return this.#hung.get(name) === this.pid(name) && this.pid(name) !== 0;
  }

  /** Ends a program's process; supervisord starts another. */
  kill(name: string): void {
    const { supervisord } = this.#machine;
    if (supervisord.state(name) !== "RUNNING") return;
    supervisord.setState(name, "EXITED");
    this.#note();
    setTimeout(() => {
      if (supervisord.state(name) !== "EXITED") return;
      supervisord.revive(name);
      this.#note();
    }, RESTART_MS);
  }

  /** A signal stops a program's process, which `up` ends when it finds it so for the second time. */
  stop(name: string): void {
    this.hang(name);
    const pid = this.pid(name);
    setTimeout(() => {
      if (this.pid(name) === pid) this.kill(name);
    }, 2 * this.#stoppedMs);
  }

  /** A program's process does nothing any more. */
  hang(name: string): void {
    this.#hung.set(name, this.pid(name));
    const [kind, id] = parts(name);
    if (kind === "browser") this.browser(id!).isHung = true;
  }

  /** No encoder of a stream writes any more, whatever is restarted. */
  still(id: StreamId): void {
    this.#still.set(id, Date.now() / 1000);
  }

  /** The display of a stream that was started. */
  display(id: StreamId): number | undefined {
    return new Map(this.#displays()).get(id);
  }

  /** Another user has a display from now on: no X server of ours starts there. */
  takeDisplay(display: number): void {
    this.#taken.add(display);
  }

  /** Another user takes a display whenever a stream has it, and leaves it alone otherwise. */
  keepTakingDisplay(display: number): void {
    this.takeDisplay(display);
    this.#looksFree.add(display);
  }

  /** Another user takes the next displays, each in the moment after it was found to be free. */
  takeNextDisplays(count: number): void {
    this.#takesNext = count;
  }

  /** Whether all of the stream's programs run and work on each other, and its page is in front; else what does not. */
  problem(id: StreamId): string | null {
    const process = (kind: ProgramKind) => this.#processes.get(programName(kind, id));
    for (const kind of PIPELINE_PROGRAMS) {
      const name = programName(kind, id);
      if (this.#machine.supervisord.state(name) !== "RUNNING" || this.isHung(name)) return `${kind} is down`;
    }
    for (const kind of ["encoder", "browser"] as const) {
      if (process(kind)!.at < process("display")!.at - 1000) return `${kind} is of another display`;
      if (process(kind)!.at < process("audio")!.at - 1000) return `${kind} is deaf`;
    }
    if (!this.#canWrite(id)) return "nothing is written";
    const { front, site } = this.browser(id);
    if (front?.isAsking) return "a dialog is open";
    if (!front || front.isHung || !front.url.startsWith("http")) return `in front is ${front?.url}`;
    return front.status === site.status && front.isBlank === site.isBlank ? null : `page: ${front.status}`;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    for (const browser of this.#browsers.values()) browser.end();
  }

  /** Displays by their streams. */
  *#displays(): Iterable<[StreamId, number]> {
    for (const { name } of Deno.readDirSync(this.#paths.specsDir)) {
      const id = name.replace(/\.json$/, "");
      if (!isStreamId(id)) continue;
      const spec = JSON.parse(Deno.readTextFileSync(`${this.#paths.specsDir}/${name}`));
      yield [id, spec.display];
    }
  }

  /** Notes which programs have other processes, and lets the others feel it. */
  #note(): void {
    const seconds = Math.floor(Date.now() / 1000);
    const { supervisord } = this.#machine;
    for (const [id, display] of this.#displays()) {
      const name = programName("display", id);
      const isNew = supervisord.state(name) === "RUNNING" && this.pid(name) === 0;
      if (isNew && this.#taken.has(display)) supervisord.setState(name, "FATAL");
    }
    for (const [name, { pid, state }] of supervisord.table()) {
      const now = state === "RUNNING" ? pid : 0;
      const before = this.pid(name);
      if (now === before) continue;
      if (now === 0) {
        this.#processes.delete(name);
        this.#stops.set(name, seconds);
      } else this.#processes.set(name, { pid: now, start: seconds, at: performance.now() });
      this.#changed(name, before, now);
    }
  }

  #changed(name: string, before: number, now: number): void {
    const [kind, id] = parts(name);
    if (kind === "media" && before !== 0) {
      // publishers lose their connection
      for (const one of this.#published.keys()) this.kill(programName("encoder", one));
    }
    if (id === null) return;
    // X clients end with their server
    if (kind === "display" && before !== 0) {
      for (const client of ["wm", "browser"] as const) this.kill(programName(client, id));
    }
    if (kind === "encoder") {
      if (now === 0) this.#published.delete(id);
      else this.#published.set(id, this.pid("media"));
      // there is nobody to publish to
      if (now !== 0 && this.pid("media") === 0) this.kill(name);
    }
    if (kind !== "browser") return;
    this.browser(id).end();
    if (now !== 0) {
      setTimeout(() => {
        if (this.pid(name) === now) this.browser(id).start();
      }, WINDOW_MS);
    }
  }

  #canWrite(id: StreamId): boolean {
    const encoder = programName("encoder", id);
    return !this.#still.has(id) && this.pid(encoder) !== 0 && !this.isHung(encoder) &&
      !this.isHung("media") &&
      this.#published.get(id) === this.pid("media");
  }

  /** Each second a segment of each channel. */
  #write(): void {
    const seconds = Date.now() / 1000;
    for (const id of this.#published.keys()) {
      if (!this.#canWrite(id)) continue;
      this.onsegment(id);
      this.#date(id, seconds);
    }
  }

  /** Dates a channel's last segment. */
  #date(id: StreamId, seconds: number): void {
    try {
      utimesSync(playlistFile(this.#paths.hlsDir, id), seconds, seconds);
    } catch {
      // the encoder has just begun
    }
  }
}

/** "encoder-clock": what it is, and whose; a shared program is nobody's. */
function parts(name: string): [kind: string, id: StreamId | null] {
  if (SHARED_NAMES.includes(name as SharedName)) return [name, null];
  const at = name.indexOf("-");
  return [name.slice(0, at), streamId(name.slice(at + 1))];
}
