/**
 * The rounds over all streams' programs and the shared programs: supervisord gets one request for all of them. Only all
 * streams together show whether the media server is to blame.
 */
import { PROGRAM_KINDS } from "../model/programs.ts";
import type { Stream } from "../model/schema.ts";
import type { Repair } from "../machine/broker/repairs.ts";
import type { Ground } from "../live/ground.ts";
import type { LiveStream } from "../live/live_stream.ts";
import { PROGRAM_WORDS } from "../live/programs/deaths.ts";
import { isMediaToBlame } from "../live/programs/healing.ts";
import { type RepairNews, repairText } from "../live/programs/repair_news.ts";
import type { SharedPrograms } from "../live/programs/shared_programs.ts";
import { programName } from "../machine/supervisor/program_files.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { Part } from "../machine/tools/part.ts";
import { Loop } from "../machine/tools/time.ts";
import type { Fleet } from "./fleet.ts";

export class ProgramRounds implements Part {
  #ground: Ground;
  #fleet: Pick<Fleet, "list">;
  #shared: SharedPrograms;
  #news: RepairNews;
  #loop = new Loop("watch round failed");
  #retryAt = 0;
  /** When the media server may be restarted again because of missing pictures. */
  #mediaAt = 0;

  constructor(ground: Ground, fleet: Pick<Fleet, "list">, shared: SharedPrograms, news: RepairNews) {
    this.#ground = ground;
    this.#fleet = fleet;
    this.#shared = shared;
    this.#news = news;
  }

  start(): void {
    this.#loop.start(this.#ground.config.TIMINGS.tickMs, () => this.round());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Looks at every running stream once. The round does not wait for repairs: a slow stream delays no other stream. */
  async round(): Promise<void> {
    const { config: { TIMINGS: limits }, machine: { elapsed }, supervision: { status } } = this.#ground;
    const running = this.#fleet.list().filter(({ stream }) => stream?.desiredState === "running");
    // the answer may be a round old, less the round's own length
    const programs = await status.programs(limits.tickMs * 0.9);
    this.#tellRepairs(await this.#news.next(), running);
    this.#shared.round(programs);
    if (elapsed() >= this.#retryAt) {
      this.#retryAt = elapsed() + limits.programRetrySeconds * 1000;
      running.forEach(retry);
    }
    const looks = running.flatMap((live) => {
      live.page?.soundServerIs(programs.get(programName("audio", live.id))?.pid ?? 0);
      const look = live.programs.look(programs, this.#news);
      return look ? [{ live, look }] : [];
    });
    const mayBlameMedia = elapsed() >= this.#mediaAt && isMediaToBlame(looks.map(({ look }) => look));
    if (mayBlameMedia && this.#shared.kill("media", "no stream had a new picture", "starved")) {
      // if the restart does not help, the media server is not to blame
      this.#mediaAt = elapsed() + limits.healing.longestPauseMs;
      return;
    }
    for (const { live, look } of looks) live.programs.act(look);
  }

  #tellRepairs(repairs: readonly Repair[], running: readonly LiveStream[]): void {
    for (const repair of repairs) {
      const isOf = (id: Stream["id"]) =>
        PROGRAM_KINDS.find((kind) => repair.program === programName(kind, id));
      const owner = running.find(({ id }) => isOf(id));
      const kind = owner && isOf(owner.id);
      const text = repairText(repair, kind ? PROGRAM_WORDS[kind] : null);
      if (text !== null) { for (const live of owner ? [owner] : running) live.tell("program", text, "warn"); }
    }
  }
}

/** Tries again to bring up a stream with a problem. */
function retry(live: LiveStream): void {
  if (live.isBusy || live.work.problem === null) return;
  live.work.retry().catch((error) =>
    log("warn", "stream not repaired", { stream: live.id, error: errorText(error) })
  );
}
