/**
 * Regular measurements of all running streams together: encoders, profiles, memory, changes of the pictures. Keepers
 * decide on repairs.
 */
import type { LiveStream } from "../live/live_stream.ts";
import type { Ground } from "../live/ground.ts";
import type { ProgramKind } from "../model/programs.ts";
import { programName } from "../machine/supervisor/program_files.ts";
import type { Program } from "../machine/supervisor/status.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { Part } from "../machine/tools/part.ts";
import { Loop } from "../machine/tools/time.ts";
import type { Fleet } from "./fleet.ts";

const MIB = 1024 * 1024;

export class Measurements implements Part {
  #ground: Ground;
  #fleet: Pick<Fleet, "running">;
  #loops = {
    encoders: new Loop("encoders not watched", "debug"),
    profiles: new Loop("profiles not measured"),
    memory: new Loop("memory not measured"),
    changes: new Loop("not asked when pictures changed", "debug"),
  };

  constructor(ground: Ground, fleet: Pick<Fleet, "running">) {
    this.#ground = ground;
    this.#fleet = fleet;
  }

  start(): void {
    const { encoderCheckMs, profileCheckMs, memoryCheckMs, lastChangeMs } = this.#ground.config.TIMINGS;
    this.#loops.encoders.start(encoderCheckMs, () => this.encoders());
    this.#loops.profiles.start(profileCheckMs, () => this.profiles());
    this.#loops.memory.start(memoryCheckMs, () => this.memory());
    this.#loops.changes.start(lastChangeMs.ask, () => this.changes());
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#loops).map((loop) => loop.stop()));
  }

  /** Looks at every encoder once. */
  async encoders(): Promise<void> {
    const programs = await this.#programs();
    const capture = programs.get("capture");
    for (const { live, program } of this.#runningWith("encoder", programs)) {
      const process = await this.#ground.machine.encoder(program.pid);
      if (process) live.sawEncoder(program, process, capture);
    }
  }

  /** Measures the profiles, one after the other. */
  async profiles(): Promise<void> {
    for (const { id, programs, work } of this.#fleet.running()) {
      const { operations } = work;
      try {
        const bytes = await this.#ground.machine.broker.measure(id);
        // the profile may have been emptied meanwhile
        if (work.operations === operations) programs.profileHas(bytes);
      } catch (error) {
        log("warn", "browser profile not measured", { stream: id, error: errorText(error) });
      }
    }
  }

  /** Measures all browsers at once, with the processes that they have started. */
  async memory(): Promise<void> {
    const running = this.#runningWith("browser", await this.#programs());
    const used = await this.#ground.machine.memory(running.map(({ program }) => program.pid));
    for (const { live, program: { pid } } of running) {
      live.programs.browserUses(pid, Math.round((used.get(pid) ?? 0) / MIB));
    }
  }

  /** Asks the capture program when the pictures last changed: one question, and none while it films nothing. */
  async changes(): Promise<void> {
    const { config, machine } = this.#ground;
    if (config.CAPTURE !== "auto" || this.#fleet.running().length === 0) return;
    const counts = await machine.frames();
    for (const { lastChange } of this.#fleet.running()) lastChange.saw(counts);
  }

  #runningWith(
    kind: ProgramKind,
    programs: ReadonlyMap<string, Program>,
  ): { live: LiveStream; program: Program }[] {
    return this.#fleet.running().flatMap((live) => {
      const program = programs.get(programName(kind, live.id));
      return program?.state === "RUNNING" ? [{ live, program }] : [];
    });
  }

  #programs(): Promise<ReadonlyMap<string, Program>> {
    return this.#ground.supervision.status.programs();
  }
}
