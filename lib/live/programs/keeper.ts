/**
 * Keeps a stream's programs as they should be: repairs faults that supervisord cannot see, and reports each restart.
 * faults.ts finds the faults, healing.ts decides the steps.
 */
import type { StreamId } from "../../model/id.ts";
import { PIPELINE_PROGRAMS, PROGRAM_KINDS, type ProgramKind } from "../../model/programs.ts";
import type { Stream } from "../../model/schema.ts";
import { displayQuestion } from "./commands/probe.ts";
import type { EncoderProcess } from "./commands/encoder.ts";
import { programName } from "../../machine/supervisor/program_files.ts";
import type { Program } from "../../machine/supervisor/status.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import type { Ground } from "../ground.ts";
import type { KeptStream } from "../kept_stream.ts";
import { causeText, deathsSince, type Pids, pidsOf, PROGRAM_WORDS, type ProgramsOfStream } from "./deaths.ts";
import { canHavePictures, type EncoderFinding, EncoderWatch } from "./encoder_watch.ts";
import { type Fault, FAULTS, findExcess, findFault, type Measured } from "./faults.ts";
import { gaveUpText, heal, type Healing, NEW_HEALING, type Step } from "./healing.ts";
import type { StartedSpec } from "./pipeline.ts";
import { ProgramProbes } from "./probes.ts";
import { REPAIR_WORDS, type RepairNews } from "./repair_news.ts";
import { CAUSE_OF_REPAIR, type RestartCause } from "./restarts.ts";

/** One look at a stream's programs. */
export interface ProgramLook {
  fault: Fault | null;
  isFresh: boolean;
  isWell: boolean;
  died: ProgramKind[];
  /** The keeper's steps since the stream last ran well. */
  steps: number;
}

/** Milliseconds in which a program that was asked to end, and is still there, is restarted instead. */
const ASKED_MS = 10_000;

/** Milliseconds in which a restarted program gets another pid. */
const EXPECTED_MS = 30_000;

const NOTHING_MEASURED: Measured = { mebibytes: null, profileBytes: null, canHavePictures: false };

export class ProgramKeeper {
  #live: KeptStream;
  #ground: Ground;
  #probes: ProgramProbes;
  #encoder = new EncoderWatch();
  #healing: Healing = NEW_HEALING;
  /** The start that is watched, in ms of the steady clock; null: there is none yet. */
  #startedAt: number | null = null;
  /** The stream's count of operations when the pids were noted. */
  #operations = 0;
  #pids: Pids = new Map();
  /** When programs were asked to end. */
  #askedAt = -Infinity;
  /** Programs that the keeper restarted, and until when their next pid is no death. */
  #expected = new Map<ProgramKind, number>();
  #measured: Measured = NOTHING_MEASURED;
  #measuredPid = 0;
  #isGrabbing = false;
  #replacedAt = -Infinity;
  #restarts = 0;

  constructor(live: KeptStream, ground: Ground) {
    this.#live = live;
    this.#ground = ground;
    this.#probes = this.#newProbes();
  }

  /** The program that is left alone after too many restarts, and the text for people; null: there is none. */
  get gaveUp(): { kind: ProgramKind; text: string } | null {
    const { gaveUp } = this.#healing;
    return gaveUp && { kind: gaveUp.kind, text: gaveUpText(this.#limits.healing) };
  }

  /** Whether the encoder was last seen to grab its display by itself, without the capture program. */
  get isGrabbing(): boolean {
    return this.#isGrabbing;
  }

  /** How often the programs were restarted without a person's wish. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Counts restarts of the programs. */
  count(kinds: readonly ProgramKind[], cause: RestartCause): void {
    this.#restarts += kinds.length;
    for (const kind of kinds) this.#ground.supervision.restarts.count(kind, cause);
  }

  /** The stream does not run any more: it next runs by another start. */
  rest(): void {
    this.#begin(null);
  }

  /** Takes a measurement of the browser with that pid, in MiB. */
  browserUses(pid: number, mebibytes: number): void {
    this.#measured = { ...this.#measured, mebibytes };
    this.#measuredPid = pid;
  }

  /** Takes a measurement of the browser's profile. */
  profileHas(profileBytes: number): void {
    this.#measured = { ...this.#measured, profileBytes };
  }

  /** Takes a look at the encoder's process. @returns the finding; null: none yet. */
  sawEncoder(
    encoder: Program,
    process: EncoderProcess,
    capture: Program | undefined,
  ): EncoderFinding | null {
    const found = this.#encoder.see(encoder.pid, process, this.#elapsed);
    if (!found) return null;
    this.#isGrabbing = found.isGrabbing;
    const mayReturn = found.isGrabbing && this.#ground.config.CAPTURE === "auto" &&
      canHavePictures(encoder, capture, this.#limits.encoderReturnMs);
    this.#measured = { ...this.#measured, canHavePictures: mayReturn };
    return found;
  }

  /**
   * Looks at the programs, and reports the restarts. @param programs all that supervisord knows. @param news the
   * repairs of `up`. @returns null while there is nothing to decide: work on the stream goes on, or it was not started.
   */
  look(programs: ReadonlyMap<string, Program>, news: Pick<RepairNews, "take">): ProgramLook | null {
    const { stream, spec, isBusy, id, channel } = this.#live;
    if (!stream || !spec || isBusy) return null;
    const own = ownPrograms(id, programs);
    if (this.#startedAt !== spec.steadyStart) this.#begin(spec.steadyStart);
    this.#noteOperations(own);
    const died = this.#died(own, news);
    const { ageMs } = channel;
    const isFresh = ageMs !== null && ageMs < this.#limits.playlistStaleMs;
    const fault = this.#fault(stream, spec, programs, { ageMs, isFresh });
    const wanted = [...PIPELINE_PROGRAMS, ...this.#healing.gaveUp?.down ?? []];
    const isUp = wanted.every((kind) => ["RUNNING", "EXITED"].includes(own.get(kind)?.state ?? "STOPPED"));
    const isWell = isFresh && isUp && fault === null;
    return { fault, isFresh, isWell, died, steps: this.#healing.steps };
  }

  /** Decides the step after a look, and begins it without waiting for its end. */
  act({ fault, ...condition }: ProgramLook): void {
    const { healing } = this.#limits;
    const decision = heal({ fault, ...condition, now: this.#elapsed }, this.#healing, healing);
    this.#healing = decision.healing;
    const { step } = decision;
    if (step.do === "nothing") return;
    this.#do(step, fault).catch((error) =>
      log("warn", "stream not repaired", { stream: this.#live.id, error: errorText(error) })
    );
  }

  /** Resolves when no question to a program is open. */
  settled(): Promise<void> {
    return this.#probes.settled();
  }

  get #limits() {
    return this.#ground.config.TIMINGS;
  }

  get #elapsed(): number {
    return this.#ground.machine.elapsed();
  }

  #newProbes(): ProgramProbes {
    const { machine } = this.#ground;
    const { id } = this.#live;
    return new ProgramProbes({
      ask: {
        display: async (limitMs) => {
          const { spec } = this.#live;
          return spec !== null && await machine.answers(displayQuestion(spec.display), limitMs);
        },
        audio: () => machine.broker.hasSound(id),
        browser: (limitMs) => machine.browsers.of(id).answers(limitMs),
      },
      isDisplayTaken: (display) => machine.isDisplayTaken(display),
      limits: this.#limits.probe,
      elapsed: machine.elapsed,
    });
  }

  /** Begins anew, with another start of the stream. */
  #begin(startedAt: number | null): void {
    if (this.#startedAt === startedAt) return;
    this.#startedAt = startedAt;
    this.#probes = this.#newProbes();
    this.#healing = NEW_HEALING;
    this.#operations = -1;
    this.#pids = new Map();
    this.#expected.clear();
    this.#askedAt = -Infinity;
    this.#measured = NOTHING_MEASURED;
  }

  #noteOperations(programs: ProgramsOfStream): void {
    const { operations } = this.#live.work;
    if (this.#operations === operations) return;
    this.#operations = operations;
    this.#pids = pidsOf(programs);
    // the measurements are outdated
    this.#measured = NOTHING_MEASURED;
  }

  #fault(
    stream: Stream,
    { steadyStart: startedAt, display }: StartedSpec,
    programs: ReadonlyMap<string, Program>,
    { ageMs, isFresh }: { ageMs: number | null; isFresh: boolean },
  ): Fault | null {
    const of = (kind: ProgramKind) => programs.get(programName(kind, stream.id));
    const hung = this.#probes.hung(of);
    // an encoder goes on with the last picture of a display that has ended
    const hasDisplay = isFresh && of("display")?.state === "RUNNING";
    const isDisplayTaken = !hasDisplay && this.#probes.isDisplayTaken(display);
    const seen = { programs, playlistAgeMs: ageMs, startedAt, hung, isDisplayTaken, now: this.#elapsed };
    const { memoryPauseMs } = this.#limits;
    // a page that needs more than it may from its beginning is not replaced again and again
    const isDisturbing = this.#live.viewers > 0 || this.#elapsed - this.#replacedAt < memoryPauseMs;
    const isOther = of("browser")?.pid !== this.#measuredPid;
    const measured = isOther ? { ...this.#measured, mebibytes: null } : this.#measured;
    const maxBytes = this.#ground.config.PROFILE_LIMIT_MB * 1_000_000;
    return findFault(stream, seen, this.#limits) ?? findExcess(stream, measured, isDisturbing, maxBytes);
  }

  /** Notes and reports the restarted programs; returns the programs that ended by themselves, or that `up` repaired. */
  #died(programs: ProgramsOfStream, news: Pick<RepairNews, "take">): ProgramKind[] {
    const { id } = this.#live;
    const deaths = deathsSince(this.#pids, programs, this.#limits.healing.causeMs);
    this.#pids = pidsOf(programs, this.#pids);
    return deaths.flatMap(({ kind, cause }) => {
      const isExpected = this.#elapsed < (this.#expected.get(kind) ?? 0);
      this.#expected.delete(kind);
      if (isExpected) return [];
      const repair = news.take(programName(kind, id));
      const why = cause === null || repair !== null ? REPAIR_WORDS[repair ?? "ended"] : causeText(cause);
      this.count([kind], repair === null && cause ? "dependency" : CAUSE_OF_REPAIR[repair ?? "ended"]);
      this.#live.tell("program", `The ${PROGRAM_WORDS[kind]} was restarted: ${why}.`, "warn");
      log("warn", "program was restarted", { stream: id, program: kind, why });
      return repair === null && cause !== null ? [] : [kind];
    });
  }

  async #do(step: Exclude<Step, { do: "nothing" }>, fault: Fault | null): Promise<void> {
    if (step.do === "give-up") return await this.#giveUp(step.kinds);
    log("warn", "stream repaired", { stream: this.#live.id, ...step });
    const cause = fault ? FAULTS[fault.type] : "ended";
    const { spec } = this.#live;
    if (fault?.type === "taken" && spec) this.#ground.supervision.displays.avoid(spec.display);
    if (step.do === "restart-stream") return await this.#restartStream(step.why, cause);
    const says = fault?.says;
    // the measurements are of programs that end now
    if (says) this.#measured = NOTHING_MEASURED;
    if (step.do === "recreate") {
      this.#tellRestart(PIPELINE_PROGRAMS, step.why, cause, says);
      return await this.#live.work.recreate();
    }
    const isAsked = step.do === "end" && this.#elapsed - this.#askedAt < ASKED_MS;
    if (!isAsked) this.#tellRestart(step.kinds, step.why, cause, says);
    for (const kind of step.kinds) this.#expected.set(kind, this.#elapsed + EXPECTED_MS);
    if (fault?.type === "memory") this.#replacedAt = this.#elapsed;
    if (step.do === "kill") await this.#live.work.command("kill", step.kinds);
    else if (step.do === "end" && !isAsked) {
      this.#askedAt = this.#elapsed;
      await this.#live.work.command("end", step.kinds);
    } // the programs that were asked have not ended
    else await this.#live.work.restartPrograms(step.kinds);
  }

  async #giveUp(kinds: readonly ProgramKind[]): Promise<void> {
    const { healing } = this.#limits;
    const word = PROGRAM_WORDS[this.#healing.gaveUp!.kind];
    const minutes = Math.round(healing.longestPauseMs / 60_000);
    const text = `The ${word} ${gaveUpText(healing)}. The next try is in ${minutes} minutes.`;
    this.#live.tell("program", text, "error");
    log("error", "program given up", { stream: this.#live.id, programs: kinds });
    await this.#live.work.command("stop", kinds);
  }

  async #restartStream(why: string, cause: RestartCause): Promise<void> {
    this.#live.tell("program", `The stream was restarted: ${why}.`, "warn");
    this.count(PIPELINE_PROGRAMS, cause);
    await this.#live.work.restartAll();
    // the trouble is still the same
    if (this.#live.spec) this.#startedAt = this.#live.spec.steadyStart;
  }

  #tellRestart(kinds: readonly ProgramKind[], why: string, cause: RestartCause, says: Fault["says"]): void {
    const { kind, text, level } = says ??
      { kind: "program", text: `${listed(kinds)} restarted: ${why}.`, level: "warn" };
    this.#live.tell(kind, text, level);
    this.count(kinds, cause);
  }
}

/** A stream's programs and the media server, as far as supervisord knows them. */
function ownPrograms(id: StreamId, programs: ReadonlyMap<string, Program>): ProgramsOfStream {
  const names = [
    ...PROGRAM_KINDS.map((kind) => [kind, programName(kind, id)] as const),
    ["media", "media"] as const,
  ];
  return new Map(names.flatMap(([kind, name]) => {
    const program = programs.get(name);
    return program ? [[kind, program] as const] : [];
  }));
}

/** "The display, the browser and the encoder were". */
function listed(kinds: readonly ProgramKind[]): string {
  const words = kinds.map((kind) => `the ${PROGRAM_WORDS[kind]}`);
  const text = words.length > 1
    ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)} were`
    : `${words[0]} was`;
  return text.replace("the", "The");
}
