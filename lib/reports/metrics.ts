/** All metrics as Prometheus reads them, from other parts' measurements; nothing is measured twice. */
import type { FrameCountsOfDisplays } from "../display/capture/frame_counts.ts";
import type { Fleet } from "../fleet/fleet.ts";
import type { Ground } from "../live/ground.ts";
import type { LiveStream } from "../live/live_stream.ts";
import type { Channel } from "../channel/channel.ts";
import type { Stream } from "../model/schema.ts";
import { hasPictures, STREAM_STATES } from "../model/answers/status.ts";
import { type Distribution, family, histogram, type Sample } from "../machine/tools/exposition.ts";
import { errorText, log } from "../machine/tools/log.ts";
import { inTurns, type Steps } from "../machine/tools/turns.ts";
import { VERSION } from "../machine/tools/version.ts";
import type { DiskWatch } from "../fleet/disk_watch.ts";
import type { Figures, ProgramCost } from "./figures.ts";
import { type MetricName, METRICS } from "./metrics_table.ts";
import type { Statuses } from "./statuses.ts";
import type { StreamStatus } from "../model/answers/shapes.ts";

export interface MetricsParts {
  ground: Pick<Ground, "machine" | "supervision" | "placement">;
  fleet: Pick<Fleet, "list">;
  /** Of this machine alone: each node of a cluster is asked for its own. */
  statuses: Pick<Statuses, "own">;
  figures: Pick<Figures, "programs">;
  disk: Pick<DiskWatch, "spaces">;
  lag: { distribution(): Distribution };
  /** Unix ms of the web app's start. */
  startedAt: number;
}

/** A stored stream with its live stream. */
interface Shown {
  stream: Stream;
  live: LiveStream;
}

/** The answers of other parts. */
interface Answers {
  /** Null when the supervisor did not answer. */
  statuses: Record<string, StreamStatus> | null;
  programs: readonly ProgramCost[];
  frames: FrameCountsOfDisplays;
}

type Samples = Record<Exclude<MetricName, typeof LAG>, Iterable<Sample>>;

const LAG = "browserstream_event_loop_lag_seconds";

export class Metrics {
  #parts: MetricsParts;

  constructor(parts: MetricsParts) {
    this.#parts = parts;
  }

  /** The text of one scrape. Metrics without an answer are left out; a long text is made in turns. */
  async text(): Promise<string> {
    const { ground: { machine, placement }, statuses, figures, fleet } = this.#parts;
    const [states, programs, counts] = await Promise.all([
      orElse<Answers["statuses"]>(null, statuses.own()),
      orElse<Answers["programs"]>([], figures.programs()),
      orElse<Answers["frames"]>(new Map(), machine.frames()),
    ]);
    const list = fleet.list().filter(({ id }) => placement.tells(id))
      .flatMap((live) => live.stream ? [{ live, stream: live.stream }] : []);
    return await inTurns(this.#lines(list, { statuses: states, programs, frames: counts }));
  }

  *#lines(streams: readonly Shown[], answers: Answers): Steps<string> {
    const { here } = this.#parts.ground.placement;
    const node: Record<string, string> = here === null ? {} : { node: here };
    let text = "";
    for (const [name, samples] of Object.entries(this.#samples(streams, answers))) {
      const { type, help } = METRICS[name as keyof Samples];
      text += yield* family(name, type as "counter" | "gauge", `${help}.`, samples, node);
    }
    return text + histogram(LAG, `${METRICS[LAG].help}.`, this.#parts.lag.distribution(), node);
  }

  /** Each metric's samples, made when they are written. */
  #samples(streams: readonly Shown[], { statuses, programs, frames }: Answers): Samples {
    const {
      ground: { machine, placement, supervision: { restarts } },
      fleet,
      disk,
      startedAt,
    } = this.#parts;
    const ofEach = function* (value: (live: LiveStream) => number | null | undefined): Iterable<Sample> {
      for (const { live } of streams) {
        const own = value(live);
        if (own !== null && own !== undefined) yield { labels: { stream: live.id }, value: own };
      }
    };
    // channels of other nodes are watched here, too
    const others = fleet.list().filter(({ id }) => !placement.tells(id));
    const ofChannels = (value: (channel: Channel) => number): Iterable<Sample> => [
      ...ofEach(({ channel }) => value(channel)),
      ...others.flatMap(({ id, channel }) =>
        value(channel) > 0 ? [{ labels: { stream: id }, value: value(channel) }] : []
      ),
    ];
    const ofPrograms = (value: (cost: ProgramCost) => number | null) =>
      programs.flatMap((cost): Sample[] => {
        const own = value(cost);
        const labels = { stream: cost.stream ?? "", program: cost.program };
        return own === null ? [] : [{ labels, value: own }];
      });
    const framesOf = ({ spec }: LiveStream) => spec ? frames.get(spec.display) : undefined;
    return {
      browserstream_build_info: [{ labels: { version: VERSION }, value: 1 }],
      process_start_time_seconds: [{ value: startedAt / 1000 }],
      browserstream_supervisor_up: [{ value: statuses ? 1 : 0 }],
      browserstream_streams: statuses ? countsOfStates(Object.values(statuses)) : [],
      browserstream_stream_info: streamInfos(streams),
      browserstream_stream_state: statuses ? statesOfStreams(Object.values(statuses)) : [],
      browserstream_stream_segment_age_seconds: ofEach(({ channel, isRunning }) => {
        // the rest of an earlier viewer's encoder is no channel
        const ageMs = isRunning ? channel.ageMs : null;
        return ageMs === null ? null : Math.max(0, ageMs) / 1000;
      }),
      browserstream_stream_viewers: ofChannels(({ viewers }) => viewers.count),
      browserstream_stream_vnc_viewers: ofEach((live) => live.viewers),
      browserstream_stream_sent_bytes_total: ofChannels(({ sentBytes }) => sentBytes),
      browserstream_stream_frames_total: ofEach((live) => framesOf(live)?.sent),
      browserstream_stream_frames_dropped_total: ofEach((live) => framesOf(live)?.dropped),
      browserstream_stream_unchanged_seconds: ofEach(({ id, lastChange }) => {
        const isShown = !statuses || hasPictures(statuses[id]?.state ?? "stopped");
        const changedAt = isShown ? lastChange.in(frames) : null;
        // the machine's clock may have been set back since
        return changedAt === null ? null : Math.max(0, machine.now() - changedAt) / 1000;
      }),
      browserstream_stream_restarts_total: ofEach(({ programs }) => programs.restarts),
      browserstream_program_restarts_total: Array.from(
        restarts.byProgram(),
        ({ program, cause, count }) => ({ labels: { program, cause }, value: count }),
      ),
      browserstream_program_cpu_seconds_total: ofPrograms(({ cpuSeconds }) => cpuSeconds),
      browserstream_program_memory_bytes: ofPrograms(({ bytes }) => bytes),
      browserstream_disk_size_bytes: disk.spaces().map(({ folder, totalBytes }) => ({
        labels: { folder },
        value: totalBytes,
      })),
      browserstream_disk_free_bytes: disk.spaces().map(({ folder, freeBytes }) => ({
        labels: { folder },
        value: freeBytes,
      })),
    };
  }
}

function countsOfStates(statuses: readonly StreamStatus[]): Sample[] {
  const counts = Map.groupBy(statuses, ({ state }) => state);
  return STREAM_STATES.map((state) => ({ labels: { state }, value: counts.get(state)?.length ?? 0 }));
}

function* statesOfStreams(statuses: readonly StreamStatus[]): Iterable<Sample> {
  for (const { id, state } of statuses) {
    for (const one of STREAM_STATES) {
      yield { labels: { stream: id, state: one }, value: one === state ? 1 : 0 };
    }
  }
}

function* streamInfos(streams: readonly Shown[]): Iterable<Sample> {
  for (const { stream: { id, name, group } } of streams) {
    yield { labels: { stream: id, name, group }, value: 1 };
  }
}

async function orElse<Answer>(other: Answer, work: Promise<Answer>): Promise<Answer> {
  try {
    return await work;
  } catch (error) {
    log("debug", "metrics are not complete", { error: errorText(error) });
    return other;
  }
}
