/** The metrics of /metrics, listed in docs/api.md too. Source of names: https://prometheus.io/docs/practices/naming/ */

interface MetricRow {
  type: "counter" | "gauge" | "histogram";
  labels: readonly string[];
  /** A sentence without its full stop. */
  help: string;
}

const TABLE = {
  browserstream_build_info: { type: "gauge", labels: ["version"], help: "The service's version, always 1" },
  process_start_time_seconds: {
    type: "gauge",
    labels: [],
    help: "When the web app was started, Unix time; counters begin at 0 then",
  },
  browserstream_supervisor_up: {
    type: "gauge",
    labels: [],
    help: "Whether the supervisor answers; without it states, CPU and memory are missing",
  },
  browserstream_streams: { type: "gauge", labels: ["state"], help: "Streams by their state" },
  browserstream_stream_info: {
    type: "gauge",
    labels: ["stream", "name", "group"],
    help: "A stream's name and group, always 1",
  },
  browserstream_stream_state: {
    type: "gauge",
    labels: ["stream", "state"],
    help: "1 for the state that the stream has, 0 for all others",
  },
  browserstream_stream_segment_age_seconds: {
    type: "gauge",
    labels: ["stream"],
    help: "Time since the newest segment was written, of streams that are to run",
  },
  browserstream_stream_viewers: {
    type: "gauge",
    labels: ["stream"],
    help: "Players that asked for the channel's playlist within 10 s",
  },
  browserstream_stream_vnc_viewers: {
    type: "gauge",
    labels: ["stream"],
    help: "People in the stream's browser by VNC",
  },
  browserstream_stream_sent_bytes_total: {
    type: "counter",
    labels: ["stream"],
    help: "Bytes of playlists and segments that this service sent to viewers",
  },
  browserstream_stream_frames_total: {
    type: "counter",
    labels: ["stream"],
    help: "Pictures that the stream's encoder took, since the stream's start",
  },
  browserstream_stream_frames_dropped_total: {
    type: "counter",
    labels: ["stream"],
    help: "Pictures with a change that were left out since the encoder or the machine was too slow",
  },
  browserstream_stream_unchanged_seconds: {
    type: "gauge",
    labels: ["stream"],
    help: "Time since the picture that viewers see last differed in a pixel, of streams that are on the air",
  },
  browserstream_stream_restarts_total: {
    type: "counter",
    labels: ["stream"],
    help: "Restarts of the stream's programs that nobody asked for",
  },
  browserstream_program_restarts_total: {
    type: "counter",
    labels: ["program", "cause"],
    help: "Restarts of programs that nobody asked for",
  },
  browserstream_program_cpu_seconds_total: {
    type: "counter",
    labels: ["stream", "program"],
    help: "Processor time of a program and its child processes; shared programs have no stream",
  },
  browserstream_program_memory_bytes: {
    type: "gauge",
    labels: ["stream", "program"],
    help:
      "Memory of a program and its child processes: their own, swapped too, and the largest share of one of them",
  },
  browserstream_disk_size_bytes: {
    type: "gauge",
    labels: ["folder"],
    help: "Size of the disk that a folder is on",
  },
  browserstream_disk_free_bytes: {
    type: "gauge",
    labels: ["folder"],
    help: "Free room on the disk that a folder is on",
  },
  browserstream_event_loop_lag_seconds: {
    type: "histogram",
    labels: [],
    help: "The delay of the web app's event loop, sampled once a second",
  },
} as const satisfies Record<string, MetricRow>;

export type MetricName = keyof typeof TABLE;

export const METRICS: Readonly<Record<MetricName, MetricRow>> = TABLE;
