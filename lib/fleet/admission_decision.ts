/** Whether the machine can carry one more stream. Pure. */
import { type Estimate, estimateText } from "../model/capacity.ts";
import { coresText } from "../model/answers/system.ts";
import type { TaskRoom } from "../machine/os/group_limits.ts";

/** The situation of the machine when a stream is to start. */
export interface Situation {
  /** Cores' worth of time that this container may have; without a limit as many as `processors`. */
  cores: number;
  /** Processors that this container may run on; without a limit as many as the machine has. */
  processors: number;
  machineCores: number;
  /** Free bytes of RUN_DIR, where the channels are; null: not known. In a container that is /dev/shm's size. */
  runBytes: number | null;
  /** Streams that were let in, and have not filled their channels yet. */
  young: number;
  /** The limit and the number of processes and threads; null: no limit. */
  tasks: TaskRoom | null;
  /**
   * Of `processors`: the cores that other programs use (null: not known yet), and the cores that the streams use or will use.
   */
  othersCores: number | null;
  streamsCores: number;
  /** Available memory, and the part of it that starting streams will still take. */
  availableBytes: number;
  promisedBytes: number;
  totalBytes: number;
  /** Memory of the machine: more than `totalBytes` in a container with a limit. */
  machineBytes: number;
  /** Streams that are to run. */
  running: number;
  /** 0: no limit. */
  maxStreams: number;
}

/** Above this share of the processors, encoders fall behind now and then: 40 streams without a late segment used 81 %. */
export const MOST_CPU = 0.9;
/** Room for the kernel, for files that are read again and again, and for a browser's sudden need. */
const LEAST_FREE_BYTES = 256 * 1024 * 1024;
const LEAST_FREE = 0.03;

/** Processes and threads of a stream, most of them of its browser: 170 with one page, more with frames of other sites. */
const TASKS = 250;

/** MiB of RUN_DIR that a stream's channel and sockets take, at 1500k (docs/docker.md). */
const CHANNEL_MIB = 20;

const MIB = 1024 * 1024;

/** Why there is no room for a stream. */
export interface Refusal {
  /** For people in a hurry: "CPU 95 % busy". */
  short: string;
  /** With all figures, as the end of a sentence. */
  why: string;
}

/** The reason by the number of streams alone; null: one more may run. @param maxStreams 0: no limit. */
export function tooManyRunning(running: number, maxStreams: number): Refusal | null {
  if (maxStreams === 0 || running < maxStreams) return null;
  const what = running === 1 ? "1 stream is started already" : `${running} streams are started already`;
  return { short: `MAX_STREAMS is ${maxStreams}`, why: `${what}, as many as MAX_STREAMS allows` };
}

/** The reason against a stream's start; null: the stream may start. */
export function refusalOf(estimate: Estimate, situation: Situation): Refusal | null {
  const { running, maxStreams, cores, processors, tasks, othersCores, streamsCores, totalBytes } = situation;
  const tooMany = tooManyRunning(running, maxStreams);
  if (tooMany) return tooMany;
  const takes = `this one would take ${estimateText(estimate)}`;
  const freeBytes = situation.availableBytes - situation.promisedBytes;
  if (freeBytes - estimate.mebibytes * MIB < Math.max(LEAST_FREE_BYTES, LEAST_FREE * totalBytes)) {
    const left = `${Math.max(0, Math.round(freeBytes / MIB))} MiB of memory`;
    const limit = totalBytes < situation.machineBytes
      ? " of what this container may have (its limit memory.max)"
      : "";
    return { short: `${left} free`, why: `${left} are left${limit}, and ${takes}` };
  }
  const { runBytes, young } = situation;
  if (runBytes !== null && runBytes < (young + 1) * CHANNEL_MIB * MIB) {
    const left = `${Math.round(runBytes / MIB)} MiB of RUN_DIR`;
    const size = "(of a container: its --shm-size)";
    return {
      short: `${left} free`,
      why: `${left} are left ${size}, and a channel takes up to ${CHANNEL_MIB}`,
    };
  }
  if (tasks !== null && tasks.used + TASKS > tasks.most) {
    const used = `${tasks.used} of the ${tasks.most} processes and threads`;
    return {
      short: `${used} in use`,
      why:
        `${used} that this container may have are in use (its limit pids.max), and a stream takes up to ${TASKS}`,
    };
  }
  const isWithin = (used: number, most: number) => used + estimate.cpuPercent / 100 <= MOST_CPU * most;
  const busyText = (used: number, most: number) =>
    `CPU ${Math.min(100, Math.round(100 * used / most))} % busy`;
  if (cores < processors && !isWithin(streamsCores, cores)) {
    return {
      short: busyText(streamsCores, cores),
      why:
        `${streamsCores.toFixed(1)} of the ${coresText(cores)} that this container may use are in use by ` +
        `streams (its limit cpu.max), and ${takes}`,
    };
  }
  if (othersCores === null) return null;
  const used = othersCores + streamsCores;
  if (isWithin(used, processors)) return null;
  const whose = othersCores >= 0.1
    ? `, ${othersCores.toFixed(1)} of them by other programs of this machine`
    : "";
  const are = processors === 1 ? "is" : "are";
  const limit = processors < situation.machineCores
    ? ` of ${situation.machineCores} that this container may run on (its limit cpuset.cpus)`
    : "";
  return {
    short: busyText(used, processors),
    why: `${used.toFixed(1)} of ${coresText(processors)}${limit} ${are} in use${whose}, and ${takes}`,
  };
}
