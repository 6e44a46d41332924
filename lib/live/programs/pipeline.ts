/** Starts, changes and stops a stream's programs together, as its settings want it. */
import type { Needs } from "../../broker/protocol.ts";
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
import { readSpec, specFile, type StreamSpec, writeSpec } from "../../pipeline/spec.ts";
import { controlName, groupName, groupsOf, programName } from "../../supervisor/program_files.ts";
import { removeTree } from "../../os/files.ts";
import { errorText, log } from "../../system/log.ts";
import type { Ground } from "../ground.ts";
import { stopPrograms } from "./stop_programs.ts";

/** The settings that a stream's programs were started with. */
export interface StartedSpec extends StreamSpec {
  /** When the programs were started, in ms of the steady clock. */
  steadyStart: number;
}

export class Pipeline {
  #id: StreamId;
  #ground: Ground;
  #spec: StartedSpec | null = null;
  #display: number | null = null;
  #operations = 0;

  constructor(id: StreamId, ground: Ground) {
    this.#id = id;
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
    const { machine: { broker, now }, supervision: { supervisor, status }, placement, around, addEvent } =
      this.#ground;
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
    const helpers = wantedHelpers(stream).filter((kind) => !isUp(kind));
    const names = isRunning ? [] : [`${groupName(this.#id)}:*`];
    try {
      await supervisor.start([...names, ...this.#names(helpers)]);
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
      await stopPrograms({ supervisor, status }, this.#id, PROGRAM_KINDS, names);
    } finally {
      this.#changed();
    }
    return true;
  }

  /** Gives back what a running stream has, once the broker has released it. */
  async #giveBack(): Promise<void> {
    const { supervision: { displays }, paths } = this.#ground;
    await removeTree(specFile(paths.specsDir, this.#id));
    this.#spec = null;
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
    const { machine: { broker }, supervision: { supervisor } } = this.#ground;
    const wasKnown = await this.#end();
    // releases it as well
    await broker.disown(this.#id);
    await this.#giveBack();
    if (wasKnown) await supervisor.forget(groupsOf(this.#id));
    await broker.remove(this.#id);
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
    const { placement, around: { slates } } = this.#ground;
    const least = placement.leastSequence(this.#id);
    const spec = least > 0 ? { ...started, sequence: Math.max(least, slates.next(this.#id)) } : started;
    await writeSpec(this.#ground.paths.specsDir, spec);
    this.#keep(spec);
  }

  #keep(spec: StreamSpec): void {
    const { now, elapsed } = this.#ground.machine;
    const steadyStart = this.#spec?.startedAt === spec.startedAt
      ? this.#spec.steadyStart
      : elapsed() - Math.max(0, now() - spec.startedAt);
    this.#spec = { ...spec, steadyStart };
  }
}

/** The needs that root provides. */
function needsOf({ resolution, memoryLimitMb }: Stream, display: number): Needs {
  return { display, resolution, memoryLimitMb };
}
