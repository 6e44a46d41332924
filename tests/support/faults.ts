/** Programs that are killed or stopped, how soon the picture is back, and what viewers' playlists say meanwhile. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { playlistFile } from "../../lib/channel/media/hls.ts";
import { streamId } from "../../lib/model/id.ts";
import { PROGRAM_KINDS, type ProgramKind } from "../../lib/model/programs.ts";
import { askPrograms } from "../../lib/machine/supervisor/status.ts";
import { allProcesses, branchOf, processEntry } from "../../lib/machine/os/process_table.ts";
import { untilPageShown } from "./channel.ts";
import { parsePlaylist } from "./media.ts";
import { commandLine } from "./proc.ts";
import { patience, until } from "./same.ts";
import { type TestService } from "./service.ts";
import { pause, within } from "./within.ts";

export const SIGNALS = ["SIGKILL", "SIGSTOP"] as const;

/** Programs that all streams share, and processes that such a program has started. */
export const SHARED = [
  "media",
  "media worker",
  "vnc-proxy",
  "capture",
  "front",
  "front worker",
  "web",
  "supervisord",
] as const;

/** Processes of a browser: the page's, and the one that paints. */
export const PARTS = ["renderer", "gpu-process", "zygote"] as const;

export interface Fault {
  /** Of a program, or of a process of one. */
  what: ProgramKind | typeof SHARED[number] | typeof PARTS[number];
  /** Whose it is; "" of a shared one. */
  stream: string;
  signal: typeof SIGNALS[number];
}

/** A look at a channel may take so long while nobody answers; then another one begins. */
const LOOK_MS = 5000;

/** Milliseconds until the picture has to be back. */
const BACK_MS = { SIGKILL: 10_000, SIGSTOP: 25_000 } as const;
/**
 * All streams start anew when supervisord is killed, and each further one takes its part of the machine: three were back
 * after 8.6 to 12.0 s on two cores that did nothing else.
 */
const EACH_FURTHER_MS = 2000;

/** Milliseconds until the picture has to be back after all of this at once. @param streams how many there are. */
export function limitOf(faults: readonly Fault[], streams: number): number {
  const all = (streams - 1) * EACH_FURTHER_MS;
  return Math.max(
    ...faults.map(({ what, signal }) =>
      BACK_MS[signal] + (what === "supervisord" && signal === "SIGKILL" ? all : 0)
    ),
  );
}

export function describeFault({ what, stream, signal }: Fault): string {
  return `${signal} of ${what}${stream && ` of ${stream}`}`;
}

/** All programs' pids by their names, from supervisord itself. */
export async function programPids(service: TestService): Promise<Map<string, number>> {
  const programs = await askPrograms(join(service.runDir, "supervisor/supervisor.sock"), 10_000);
  return new Map(programs.flatMap(({ name, pid }) => pid > 0 ? [[name, pid] as const] : []));
}

function isKind(what: Fault["what"]): what is ProgramKind {
  return PROGRAM_KINDS.some((kind) => kind === what);
}

/** The process that a fault is about. @throws {AssertionError} when there is none now. */
async function pidOf(service: TestService, { what, stream }: Fault): Promise<number> {
  const found = async () => {
    if (what === "supervisord") return service.processes(/supervisord -n/)[0];
    if (isKind(what)) return (await programPids(service)).get(`${what}-${stream}`);
    const program = what.split(" ")[0];
    if (SHARED.some((one) => one === what)) {
      const main = (await programPids(service)).get(program);
      if (!what.endsWith("worker")) return main;
      return service.processes(/nginx: worker/).find((pid) => processEntry(pid)?.parent === main);
    }
    const browser = (await programPids(service)).get(`browser-${stream}`);
    const table = allProcesses();
    // a browser's processes have overwritten their environment
    return [...table.keys()].find((pid) =>
      browser !== undefined && branchOf(table, pid, browser) !== null &&
      commandLine(pid).includes(`--type=${what} `)
    );
  };
  let pid: number | undefined;
  await until(
    `${what} to run`,
    async () => (pid = await found().catch(() => undefined)) !== undefined,
  );
  return pid!;
}

/** Whether what was hit is no more, or goes on. */
function isRepaired(pid: number, { what, signal }: Fault): boolean {
  const state = processEntry(pid)?.state;
  if (what === "supervisord" && signal === "SIGSTOP") return state !== "T";
  return state === undefined || state === "Z";
}

/** The newest sequence number that the media server has listed; 0 while there is no list. */
export function listedSequence(service: TestService, id: string): number {
  try {
    const text = Deno.readTextFileSync(playlistFile(join(service.runDir, "hls"), streamId(id)));
    const { sequence, segments } = parsePlaylist(text);
    return segments.length > 0 ? sequence + segments.length - 1 : 0;
  } catch {
    return 0;
  }
}

/** Sends the fault's signal, to the successor of a process that has just ended by itself. */
async function strike(service: TestService, target: { pid: number; fault: Fault }): Promise<void> {
  for (;;) {
    try {
      return Deno.kill(target.pid, target.fault.signal);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      target.pid = await pidOf(service, target.fault);
    }
  }
}

/**
 * Does it to all at once, and waits until the streams show their pages again.
 * @param watched the streams whose picture has to be back. @returns milliseconds.
 */
export async function hit(
  service: TestService,
  faults: readonly Fault[],
  watched: readonly string[],
): Promise<number> {
  const targets = await Promise.all(
    faults.map(async (fault) => ({ fault, pid: await pidOf(service, fault) })),
  );
  const before = new Map(watched.map((id) => [id, listedSequence(service, id)]));
  for (const target of targets) await strike(service, target);
  const startedAt = performance.now();
  await until("all that was hit to be gone", () => targets.every(({ pid, fault }) => isRepaired(pid, fault)));
  // what was listed until now may have been under way before
  for (const id of watched) before.set(id, Math.max(before.get(id)!, listedSequence(service, id)));
  await Promise.all(watched.map((id) => untilShown(service, id, before.get(id)! + 1)));
  return performance.now() - startedAt;
}

/** As `untilPageShown`, while nobody may answer. @throws {Error} after `limitMs`. */
export async function untilShown(
  service: TestService,
  id: string,
  after: number,
  limitMs = patience(),
): Promise<void> {
  await within(`${id} to show its page again`, limitMs, async () => {
    if (listedSequence(service, id) <= after) return false;
    return await untilPageShown(service, id, after, { limitMs: LOOK_MS }).then(() => true, () => false);
  });
}

/** Watches the media server's playlists: numbers never go back, and the target duration never changes. */
export class PlaylistWatch implements AsyncDisposable {
  readonly problems: string[] = [];
  /** Streams whose playlists have marked a break. A list forgets it after eight seconds. */
  readonly broken = new Set<string>();
  #isOver = false;
  #watching: Promise<void>;

  constructor(service: TestService, ids: readonly string[]) {
    this.#watching = this.#watch(service, ids);
  }

  async #watch(service: TestService, ids: readonly string[]): Promise<void> {
    const last = new Map<string, { end: number; target: number }>();
    for (; !this.#isOver; await pause(150)) {
      for (const id of ids) {
        const path = playlistFile(join(service.runDir, "hls"), streamId(id));
        const text = await Deno.readTextFile(path).catch(() => "");
        if (!text.includes("#EXTINF")) continue;
        const { sequence, segments, targetDuration: target } = parsePlaylist(text);
        if (segments.some(({ discontinuity }) => discontinuity)) this.broken.add(id);
        const end = sequence + segments.length;
        const before = last.get(id) ?? { end, target };
        if (end < before.end) this.problems.push(`${id}: segment ${before.end} was followed by ${end}`);
        if (target !== before.target) {
          this.problems.push(`${id}: target duration ${before.target} became ${target}`);
        }
        last.set(id, { end, target });
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#watching;
  }
}

/** Fails if a program of the streams has another pid than before. */
export async function assertUntouched(
  service: TestService,
  before: Map<string, number>,
  ids: string[],
): Promise<void> {
  const now = await programPids(service);
  const own = (pids: Map<string, number>) =>
    Object.fromEntries([...pids].filter(([name]) => ids.some((id) => name.endsWith(`-${id}`))));
  const events = await Promise.all(
    ids.map(async (id) => (await service.api("GET", `/api/streams/${id}/events`)).text()),
  );
  assert.deepEqual(
    own(now),
    own(before),
    `a stream that was not hit was restarted; its events: ${events.join()}`,
  );
}
