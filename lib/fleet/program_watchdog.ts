/**
 * Watches the programs of running streams and those that all share, repairs what supervisord cannot see, and tells what
 * was restarted and why. What is wrong is found by program_faults.ts, what to do decided by healing.ts.
 */
import type { StreamId } from "../model/id.ts";
import { PIPELINE_PROGRAMS, PROGRAM_KINDS, type ProgramKind } from "../model/programs.ts";
import type { Stream } from "../model/schema.ts";
import type { StreamStore } from "../store/streams.ts";
import { programName } from "../supervisor/program_files.ts";
import type { Program, ProgramStatus } from "../supervisor/status.ts";
import { errorText, log } from "../system/log.ts";
import type { Part } from "../system/part.ts";
import { Loop } from "../system/time.ts";
import type { Timings } from "../timings.ts";
import type { AddEvent } from "../model/events.ts";
import {
  type GaveUp,
  gaveUpText,
  heal,
  type Healing,
  isMediaToBlame,
  NEW_HEALING,
  type Step,
} from "../live/programs/healing.ts";
import {
  causeText,
  deathsSince,
  type Pids,
  pidsOf,
  PROGRAM_WORDS,
  type ProgramsOfStream,
} from "../live/programs/deaths.ts";
import { type Fault, findFault } from "../live/programs/faults.ts";
import type { ProgramProbes } from "../live/programs/probes.ts";
import type { Reconciler } from "./reconciler.ts";
import { REPAIR_WORDS, type RepairNews, repairText } from "../live/programs/repair_news.ts";
import {
  CAUSE_OF_FAULT,
  CAUSE_OF_REPAIR,
  type CountRestarts,
  type RestartCause,
} from "../live/programs/restarts.ts";
import type { SharedPrograms } from "../live/programs/shared_programs.ts";
import { type Started, StreamEntries } from "../live/stream_entries.ts";

export interface ProgramWatchdogParts {
  store: Pick<StreamStore, "list">;
  status: Pick<ProgramStatus, "programs">;
  reconciler: Pick<
    Reconciler,
    | "startedAt"
    | "spec"
    | "problem"
    | "isBusy"
    | "retry"
    | "operations"
    | "restartPrograms"
    | "endPrograms"
    | "killPrograms"
    | "stopPrograms"
    | "restartAll"
  >;
  probes: ProgramProbes;
  shared: SharedPrograms;
  news: RepairNews;
  addEvent: AddEvent;
  countRestarts: CountRestarts;
  playlistAgeMs(id: StreamId): number | null;
  limits: Timings;
  elapsed: () => number;
}

/** What is remembered of a stream between two rounds. */
interface Watched {
  /** The reconciler's, when the pids were noted. */
  operations: number;
  pids: Pids;
  healing: Healing;
  /** Unix ms when programs were asked to end. */
  askedAt: number;
  /** Programs that we have restarted: their next pid is no death. Until when, in Unix ms. */
  expected: Map<ProgramKind, number>;
}

/** What was seen of a stream in this round. */
interface Look {
  stream: Stream;
  watched: Watched;
  fault: Fault | null;
  isFresh: boolean;
  isWell: boolean;
  died: ProgramKind[];
}

/** Milliseconds in which who was asked to end, and is still there, is restarted instead. */
const ASKED_MS = 10_000;

/** Milliseconds in which a program that we restarted gets another pid. */
const EXPECTED_MS = 30_000;

export class ProgramWatchdog implements Part {
  #parts: ProgramWatchdogParts;
  #loop = new Loop("watch round failed");
  #retryAt = 0;
  /** When the media server may be restarted again because of missing pictures. */
  #mediaAt = 0;
  #streams = new StreamEntries<Started & { programs: ProgramsOfStream }, Watched>(
    ({ id, programs }) => ({
      operations: this.#parts.reconciler.operations(id),
      pids: pidsOf(programs),
      healing: NEW_HEALING,
      askedAt: 0,
      expected: new Map(),
    }),
    (id) => this.#parts.probes.forget(id),
  );

  constructor(parts: ProgramWatchdogParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start(this.#parts.limits.programRoundMs, () => this.round());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** The program of a stream that is left alone for now since it was restarted too often, and what to say; or null. */
  gaveUp(id: StreamId): { kind: ProgramKind; text: string } | null {
    const gaveUp: GaveUp | null | undefined = this.#streams.get(id)?.healing.gaveUp;
    return gaveUp ? { kind: gaveUp.kind, text: gaveUpText(this.#parts.limits.healing) } : null;
  }

  /** Looks at every running stream once. What is to be done is not waited for: a slow stream keeps no other waiting. */
  async round(): Promise<void> {
    const { store, status, news, shared, limits, elapsed } = this.#parts;
    const running = store.list().filter(({ desiredState }) => desiredState === "running");
    this.#streams.keep(running.map(({ id }) => id));
    // as old as a round, but for its own length
    const programs = await status.programs(limits.programRoundMs * 0.9);
    this.#tellRepairs(await news.next(), running);
    shared.round(programs);
    const isRetryRound = elapsed() >= this.#retryAt;
    if (isRetryRound) this.#retryAt = elapsed() + limits.programRetrySeconds * 1000;
    const looks = running.map((stream) => this.#look(stream, programs, isRetryRound));
    this.#decide(looks.filter((look) => look !== null));
  }

  #tellRepairs(repairs: Awaited<ReturnType<RepairNews["next"]>>, running: readonly Stream[]): void {
    const { addEvent } = this.#parts;
    for (const repair of repairs) {
      const owner = running.find(({ id }) =>
        PROGRAM_KINDS.some((kind) => repair.program === programName(kind, id))
      );
      const kind = PROGRAM_KINDS.find((kind) => owner && repair.program === programName(kind, owner.id));
      const text = repairText(repair, kind ? PROGRAM_WORDS[kind] : null);
      if (text !== null) {
        for (const { id } of owner ? [owner] : running) addEvent(id, "program", text, "warn");
      }
    }
  }

  /** Null while there is nothing to decide: somebody works on the stream, or it was not started. */
  #look(stream: Stream, programs: ReadonlyMap<string, Program>, isRetryRound: boolean): Look | null {
    const { reconciler, probes, playlistAgeMs, limits, elapsed } = this.#parts;
    const { id } = stream;
    if (reconciler.isBusy(id)) return null;
    if (isRetryRound && reconciler.problem(id)) {
      this.#run(id, reconciler.retry(id));
      return null;
    }
    const startedAt = reconciler.startedAt(id);
    if (startedAt === undefined) return null;
    const of = (kind: ProgramKind) => programs.get(programName(kind, id));
    const watched = this.#watched(id, startedAt, ownPrograms(id, programs));
    const died = this.#died(id, watched, ownPrograms(id, programs));
    const hung = probes.hung(id, of);
    const ageMs = playlistAgeMs(id);
    const isFresh = ageMs !== null && ageMs < limits.playlistStaleMs;
    // an encoder goes on with the last picture of a display that has ended
    const hasDisplay = isFresh && of("display")?.state === "RUNNING";
    const display = hasDisplay ? undefined : reconciler.spec(id)?.display;
    const isDisplayTaken = display !== undefined && probes.isDisplayTaken(id, display);
    const seen = { programs, playlistAgeMs: ageMs, startedAt, hung, isDisplayTaken, now: elapsed() };
    const fault = findFault(stream, seen, limits);
    const wanted = [...PIPELINE_PROGRAMS, ...watched.healing.gaveUp?.down ?? []];
    const isUp = wanted.every((kind) => ["RUNNING", "EXITED"].includes(of(kind)?.state ?? "STOPPED"));
    return { stream, watched, fault, isFresh, isWell: isFresh && isUp && fault === null, died };
  }

  #watched(id: StreamId, startedAt: number, programs: ProgramsOfStream): Watched {
    const watched = this.#streams.of({ id, startedAt, programs });
    const operations = this.#parts.reconciler.operations(id);
    if (watched.operations !== operations) Object.assign(watched, { operations, pids: pidsOf(programs) });
    return watched;
  }

  /** Notes and tells which programs were started again; gives those that we know no cause for. */
  #died(id: StreamId, watched: Watched, programs: ProgramsOfStream): ProgramKind[] {
    const { limits, news, addEvent, countRestarts, elapsed } = this.#parts;
    const deaths = deathsSince(watched.pids, programs, limits.healing.causeMs);
    watched.pids = pidsOf(programs, watched.pids);
    return deaths.flatMap(({ kind, cause }) => {
      const isExpected = elapsed() < (watched.expected.get(kind) ?? 0);
      watched.expected.delete(kind);
      if (isExpected) return [];
      const repair = news.take(programName(kind, id));
      const why = cause === null || repair !== null ? REPAIR_WORDS[repair ?? "ended"] : causeText(cause);
      countRestarts(id, [kind], repair === null && cause ? "dependency" : CAUSE_OF_REPAIR[repair ?? "ended"]);
      addEvent(id, "program", `The ${PROGRAM_WORDS[kind]} was restarted: ${why}.`, "warn");
      log("warn", "program was restarted", { stream: id, program: kind, why });
      return repair === null && cause !== null ? [] : [kind];
    });
  }

  #decide(looks: readonly Look[]): void {
    const { shared, limits, elapsed } = this.#parts;
    const streams = looks.map(({ fault, isFresh, watched }) => ({
      fault,
      isFresh,
      steps: watched.healing.steps,
    }));
    const mayBlameMedia = elapsed() >= this.#mediaAt && isMediaToBlame(streams);
    if (mayBlameMedia && shared.kill("media", "no stream had a new picture", "starved")) {
      // if that does not help, it was not the media server
      this.#mediaAt = elapsed() + limits.healing.longestPauseMs;
      return;
    }
    for (const { stream: { id }, watched, ...condition } of looks) {
      const { step, healing } = heal({ ...condition, now: elapsed() }, watched.healing, limits.healing);
      watched.healing = healing;
      const cause = condition.fault ? CAUSE_OF_FAULT[condition.fault.type] : "ended";
      if (step.do !== "nothing") this.#run(id, this.#act(id, watched, step, cause));
    }
  }

  async #act(
    id: StreamId,
    watched: Watched,
    step: Exclude<Step, { do: "nothing" }>,
    cause: RestartCause,
  ): Promise<void> {
    const { reconciler, addEvent, countRestarts, limits: { healing }, elapsed } = this.#parts;
    if (step.do === "give-up") {
      const word = PROGRAM_WORDS[watched.healing.gaveUp!.kind];
      const minutes = Math.round(healing.longestPauseMs / 60_000);
      addEvent(
        id,
        "program",
        `The ${word} ${gaveUpText(healing)}. The next try is in ${minutes} minutes.`,
        "error",
      );
      log("error", "program given up", { stream: id, programs: step.kinds });
      return await reconciler.stopPrograms(id, step.kinds);
    }
    log("warn", "stream repaired", { stream: id, ...step });
    if (step.do === "restart-stream") {
      addEvent(id, "program", `The stream was restarted: ${step.why}.`, "warn");
      countRestarts(id, PIPELINE_PROGRAMS, cause);
      await reconciler.restartAll(id);
      // it is the same trouble still
      const startedAt = reconciler.startedAt(id);
      if (startedAt !== undefined) this.#streams.goOn({ id, startedAt });
      return;
    }
    const isAsked = step.do === "end" && elapsed() - watched.askedAt < ASKED_MS;
    if (!isAsked) {
      addEvent(id, "program", `${listed(step.kinds)} restarted: ${step.why}.`, "warn");
      countRestarts(id, step.kinds, cause);
    }
    for (const kind of step.kinds) watched.expected.set(kind, elapsed() + EXPECTED_MS);
    if (step.do === "kill") await reconciler.killPrograms(id, step.kinds);
    else if (step.do === "end" && !isAsked) {
      watched.askedAt = elapsed();
      await reconciler.endPrograms(id, step.kinds);
    } // those that were asked have not ended
    else await reconciler.restartPrograms(id, step.kinds);
  }

  #run(id: StreamId, work: Promise<void>): void {
    work.catch((error) => log("warn", "stream not repaired", { stream: id, error: errorText(error) }));
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
