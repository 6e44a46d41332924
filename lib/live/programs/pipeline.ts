/** Starts, changes and stops a stream's programs together, as its settings want it. */
import type { Needs } from "../../machine/broker/protocol.ts";
import { ServiceError } from "../../errors.ts";
import type { StreamId } from "../../model/id.ts";
import {
  affectedPrograms,
  HELPER_PROGRAMS,
  isAlive,
  PIPELINE_PROGRAMS,
  PROGRAM_KINDS,
  type ProgramKind,
  PROGRAMS,
  wantedHelpers,
} from "../../model/programs.ts";
import type { Stream } from "../../model/schema.ts";
import { readSpec, specFile, type StreamSpec, writeSpec } from "./commands/spec.ts";
import { controlName, groupName, groupsOf, programName } from "../../machine/supervisor/program_files.ts";
import { removeTree } from "../../machine/os/files.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import type { Breaks } from "../../channel/breaks.ts";
import type { Ground } from "../ground.ts";

/** A single round is enough except for a program that ends by itself at that very moment. */
const STOP_ROUNDS = 5;

/** The settings that a stream's programs were started with. */
export interface StartedSpec extends StreamSpec {
  /** When the programs were started, in ms of the steady clock. */
  steadyStart: number;
}

/** The stream, as far as its programs are concerned. */
export interface PipelineStream {
  readonly id: StreamId;
  /** What its channel's numbers go on from. */
  readonly channel: { readonly breaks: Pick<Breaks, "next"> };
  /** Takes the programs' settings whenever they change; null: the programs are stopped. */
  started(spec: StartedSpec | null): void;
}

export class Pipeline {
  #id: StreamId;
  #live: PipelineStream;
  #ground: Ground;
  #spec: StartedSpec | null = null;
  #display: number | null = null;
  #operations = 0;

  constructor(live: PipelineStream, ground: Ground) {
    this.#id = live.id;
    this.#live = live;
    this.#ground = ground;
  }

  /** The programs' settings; null while the stream is stopped. */
  get spec(): StartedSpec | null {
    return this.#spec;
  }

  /** Counts the operations on the programs: while the number stays, the web app restarts no program. */
  get operations(): number {
    return this.#operations;
  }

  /** Takes over the programs that an earlier web app has started. @returns whether there are any. */
  async adopt(): Promise<boolean> {
    const { paths, supervision } = this.#ground;
    // an unreadable description keeps no other stream down: the stream's start writes it anew
    const spec = await readSpec(paths.specsDir, this.#id).catch((error) => {
      log("warn", "a started stream's description cannot be read", {
        stream: this.#id,
        error: errorText(error),
      });
      return null;
    });
    if (!spec) return false;
    this.#keep(spec);
    this.#display = spec.display;
    supervision.displays.adopt(spec.display);
    return true;
  }

  /** Starts programs that are down. @throws {ServiceError} 409 for a page at a forbidden place. */
  async start(stream: Stream): Promise<void> {
    const {
      machine: { broker, now },
      supervision: { supervisor, status },
      placement,
      around,
      kinds,
      addEvent,
    } = this.#ground;
    const programs = await status.programs(0);
    const isUp = (kind: ProgramKind) =>
      isAlive(programs.get(programName(kind, this.#id))?.state ?? "STOPPED");
    const isRunning = this.#spec !== null && PIPELINE_PROGRAMS.every(isUp);
    if (!isRunning) {
      const problem = await around.placeProblem(stream.url);
      if (problem !== null) throw new ServiceError(409, problem);
      const display = this.#display ??= await this.#ground.supervision.displays.take();
      await this.#writeSpec({ stream, display, startedAt: now() });
      const isNew = await broker.prepare(this.#id, needsOf(stream, display));
      if (!isUp("browser")) {
        await placement.stored.bring(this.#id, (text, level) => addEvent(this.#id, "stream", text, level));
      }
      if (isNew || !programs.has(programName("encoder", this.#id))) {
        await supervisor.update(groupsOf(this.#id));
      }
    }
    const isWhole = PIPELINE_PROGRAMS.every((kind) => kinds.includes(kind));
    const helpers = wantedHelpers(stream).filter((kind) => kinds.includes(kind) && !isUp(kind));
    const group = isRunning ? [] : [`${groupName(this.#id)}:*`];
    try {
      if (isWhole) await supervisor.start([...group, ...this.#names(helpers)]);
      else await supervisor.startEach(this.#names(kinds));
    } finally {
      this.#changed();
    }
    if (isRunning) return;
    log("info", "stream started", { stream: this.#id, display: this.#spec?.display });
    addEvent(this.#id, "stream", "Started.");
  }

  /** Stops all programs, and gives back a running stream's resources. */
  async stop(): Promise<void> {
    const wasKnown = await this.#end();
    await this.#ground.machine.broker.release(this.#id);
    await this.#giveBack();
    if (wasKnown) log("info", "stream stopped", { stream: this.#id });
  }

  /** Ends all programs. @returns whether the supervisor has them: not of a stream that has not run since its start. */
  async #end(): Promise<boolean> {
    const { supervision: { supervisor, status } } = this.#ground;
    const programs = await status.programs(0);
    if (!PROGRAM_KINDS.some((kind) => programs.has(programName(kind, this.#id)))) return false;
    // the browser is first: it saves its page's data, but ends at once when its display does
    const names = [...this.#names(["browser"]), `${groupName(this.#id)}:*`, ...this.#names(HELPER_PROGRAMS)];
    try {
      // supervisord takes a program that dies with its display just then for "not running", and restarts it: ask, and stop
      // again
      for (let round = 0; round < STOP_ROUNDS && await this.#isAnyLeft(); round++) {
        await supervisor.stop(names);
      }
    } finally {
      this.#changed();
    }
    return true;
  }

  /** Whether a program runs, or will be restarted in a moment. */
  async #isAnyLeft(): Promise<boolean> {
    const programs = await this.#ground.supervision.status.programs(0);
    return PROGRAM_KINDS.some((kind) => {
      const state = programs.get(programName(kind, this.#id))?.state ?? "STOPPED";
      // the supervisor restarts a program of the group that has ended by itself
      return isAlive(state) || state === "EXITED" && PIPELINE_PROGRAMS.includes(kind);
    });
  }

  /** Gives back a running stream's display and spec, once the broker has released the stream. */
  async #giveBack(): Promise<void> {
    const { supervision: { displays }, paths } = this.#ground;
    await removeTree(specFile(paths.specsDir, this.#id));
    this.#spec = null;
    this.#live.started(null);
    if (this.#display !== null) displays.free(this.#display);
    this.#display = null;
  }

  /** Gives programs that run the newest settings; restarts `more` and programs whose settings changed. */
  async update(stream: Stream, before: StreamSpec, more: readonly ProgramKind[] = []): Promise<void> {
    const { machine: { broker }, supervision: { supervisor }, addEvent } = this.#ground;
    const { display, startedAt } = before;
    const affected = affectedPrograms(before.stream, stream);
    const kinds = [...new Set([...affected, ...more])];
    await this.#writeSpec({ stream, display, startedAt });
    // for programs that go on as well
    await broker.prepare(this.#id, needsOf(stream, display));
    const wanted = [...PIPELINE_PROGRAMS, ...wantedHelpers(stream)];
    try {
      // the browser stops before a display that is restarted, as in `stop`
      const isFirst = (kind: ProgramKind) => kind === "browser" && kinds.includes("display");
      await supervisor.stop(this.#names(kinds.filter((kind) => !wanted.includes(kind) || isFirst(kind))));
      await supervisor.restart(this.#names(kinds.filter((kind) => wanted.includes(kind))));
      const labels = affected.filter((kind) => wanted.includes(kind)).map((kind) => PROGRAMS[kind].label);
      if (labels.length > 0) {
        addEvent(this.#id, "program", `Restarted, since the settings changed: ${labels.join(", ")}.`);
      }
    } catch (error) {
      // so that the next try finds the difference
      await this.#writeSpec({ stream: before.stream, display, startedAt });
      throw error;
    } finally {
      this.#changed();
    }
  }

  /** Ends, kills or stops some programs. The supervisor restarts ended and killed programs. */
  async command(how: "end" | "kill" | "stop", kinds: readonly ProgramKind[]): Promise<void> {
    await this.#ground.supervision.supervisor[how](this.#names(kinds));
    this.#changed();
  }

  /** Empties the profile of a browser that is stopped, and writes the programs' files anew. */
  async reset(): Promise<void> {
    const { machine: { broker }, placement } = this.#ground;
    await broker.reset(this.#id);
    await placement.stored.emptied(this.#id);
    await this.#ground.supervision.supervisor.update(groupsOf(this.#id));
  }

  /** Stops all programs, and removes all files that they have on the disk. */
  async remove(): Promise<void> {
    const { machine: { broker }, supervision: { supervisor, status } } = this.#ground;
    const wasKnown = await this.#end();
    // releases it as well
    await broker.disown(this.#id);
    if (wasKnown) await supervisor.forget(groupsOf(this.#id));
    await broker.remove(this.#id);
    // last: the spec says that there is something to remove
    await this.#giveBack();
    status.invalidate();
  }

  #names(kinds: readonly ProgramKind[]): string[] {
    return kinds.map((kind) => controlName(kind, this.#id));
  }

  /** Counts an operation, and drops supervisord's earlier answers. */
  #changed(): void {
    this.#operations++;
    this.#ground.supervision.status.invalidate();
  }

  async #writeSpec(started: StreamSpec): Promise<void> {
    const least = this.#ground.placement.leastSequence(this.#id);
    const spec = least > 0
      ? { ...started, sequence: Math.max(least, this.#live.channel.breaks.next) }
      : started;
    await writeSpec(this.#ground.paths.specsDir, spec);
    this.#keep(spec);
  }

  #keep(spec: StreamSpec): void {
    const { now, elapsed } = this.#ground.machine;
    const steadyStart = this.#spec?.startedAt === spec.startedAt
      ? this.#spec.steadyStart
      : elapsed() - Math.max(0, now() - spec.startedAt);
    this.#spec = { ...spec, steadyStart };
    this.#live.started(this.#spec);
  }
}

/** The needs that root provides. */
function needsOf({ resolution, memoryLimitMb }: Stream, display: number): Needs {
  return { display, resolution, memoryLimitMb };
}
