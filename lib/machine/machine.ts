/** The one seam between the service and the machine it runs on: tests pass a fake one. */
import type { FrameCountsOfDisplays } from "../display/capture/frame_counts.ts";
import { askForCounts } from "../display/capture/sign_of_life.ts";
import { brokerAt } from "./broker/client.ts";
import type { Broker } from "./broker/protocol.ts";
import { type Browsers, Hubs } from "../browser/hubs.ts";
import { playChannel, type RtmpChannel } from "../channel/media/rtmp_player.ts";
import type { RtmpMessage } from "../channel/media/rtmp_chunks.ts";
import { isBridged } from "./net/bridged.ts";
import { type DatagramAnswers, type DatagramPort, Datagrams } from "./net/datagrams.ts";
import type { Network } from "../reach/reach.ts";
import { thisNetwork } from "../reach/this_network.ts";
import { RecorderClient, type Recordings } from "../rewind/recorder/recorder_client.ts";
import { displayKey, type Paths } from "../paths.ts";
import { displayOwner, isAnothersDisplay, isDisplayFree, ownedSocket } from "../display/display.ts";
import type { EncoderProcess } from "../live/programs/commands/encoder.ts";
import { askPrograms, type Program } from "./supervisor/status.ts";
import type { Part } from "./tools/part.ts";
import { answers, type Question } from "./tools/probe.ts";
import { type CpuTimes, cpuTimes } from "./os/cpu_times.ts";
import { type Space, spaceAt } from "./os/disk.ts";
import { type MachineLoad, machineLoad } from "./os/machine_load.ts";
import { oomKills } from "./os/oom_kills.ts";
import { connectionOwner } from "./os/ports.ts";
import { type ReceiveWindow, receiveWindows } from "./os/receive_windows.ts";
import { memoryOfTrees } from "./os/process_memory.ts";
import { processorTimes } from "./os/process_time.ts";
import { type BytesRunner, run, runBytes, type Runner } from "./os/process.ts";
import { readCookie, XConnection } from "../display/x11/connection.ts";
import { CONTROL, ESCAPE, pressKey, ZERO } from "../display/x11/keys.ts";
import { Cover, type ScreenCover } from "../display/x11/cover.ts";
import { leavePages } from "../display/x11/popups.ts";
import { threadTimes } from "./os/thread_load.ts";

export interface Machine {
  /** The machine's own name. */
  hostname: string;
  /** What its addresses are, and names lead to. */
  network: Network;
  run: Runner;
  /** As `run`, for a program whose output is no text. */
  runBytes: BytesRunner;
  /** Does what only `up` may. */
  broker: Broker;
  /** All programs of the supervisor. @throws {Error} when it does not answer. */
  programs(): Promise<Program[]>;
  /** The streams' browsers. */
  browsers: Browsers;
  /** Audio and video of a channel at the media server. @throws {Error} when it has none. */
  playChannel(channel: RtmpChannel, signal: AbortSignal): AsyncIterable<RtmpMessage[]>;
  /** Answers the datagrams that come in at a port from the local networks. */
  listen(at: DatagramPort, answers: DatagramAnswers): Part;
  /** Whether this is a container whose network is its own. */
  isBridged(): Promise<boolean>;
  /**
   * The bytes that the clients of one of our ports have received, and have room for. @throws {Error} when the kernel does not
   * say it.
   */
  receiveWindows(port: number): ReceiveWindow[];
  /** The user of this machine whose program is connected from an address and port to one of ours; null: nobody's. */
  connectionOwner(hostname: string, port: number, toPort: number): Promise<number | null>;
  /** Whether a server that has to answer does, within the limit. */
  answers(question: Question, limitMs: number): Promise<boolean>;
  /** A cover over a display, for what viewers see while its page is broken. @throws {Error} when there is none. */
  openCover(display: number): Promise<ScreenCover>;
  /** Presses Escape on a stream's display. @throws {Error} when it does not answer. */
  pressEscape(display: number): Promise<void>;
  /** Brings the pages of a stream's display back to their size. @throws {Error} when it does not answer. */
  resetZoom(display: number): Promise<void>;
  /**
   * Takes the pointer off the pages of a stream's display, and closes lists and pickers that were left open over them.
   * @throws {Error} when it does not answer.
   */
  takePointer(display: number): Promise<void>;
  /** An encoder's process; null when there is none. */
  encoder(pid: number): Promise<EncoderProcess | null>;
  /** Whether nobody has the display. */
  isDisplayFree(display: number): Promise<boolean>;
  /** Whether another user of the machine has taken something of a stream's display. */
  isDisplayTaken(display: number): Promise<boolean>;
  /** The room on the disk that a path is on. @throws {Error} when nothing can be said of it. */
  space(path: string): Promise<Space>;
  /** Bytes that these processes use, with all that they have started. */
  memory(pids: number[]): Promise<Map<number, number>>;
  /** Milliseconds that these processes have run on a processor, with all that they have started. */
  processorTimes(pids: number[]): Promise<Map<number, number>>;
  /** What each display's encoder got of the capture program. @throws {Error} when that does not answer. */
  frames(): Promise<FrameCountsOfDisplays>;
  /** What is kept of each display. */
  recordings: Recordings;
  /** How busy it is. */
  load(): Promise<MachineLoad>;
  /** How busy its processors were so far; null where that is not known. */
  cpuTimes(): Promise<CpuTimes | null>;
  /** How many processes the kernel has ended so far for want of memory. */
  oomKills(): Promise<number>;
  /** Unix time in ms, for stamps: it jumps when the machine's clock is set. */
  now(): number;
  /** Milliseconds of a clock that nobody sets, for intervals. Its beginning means nothing. */
  elapsed(): number;
}

/** The capture program answers at once, unless it hangs. */
const FRAMES_MS = 500;

/** A connection to a stream's display. @throws {Error} when it does not answer. */
async function displayOf(paths: Paths, display: number): Promise<XConnection> {
  const socket = await ownedSocket(display, await displayOwner(paths, display));
  return await XConnection.open(socket, await readCookie(displayKey(paths, display)));
}

/** The machine that we are on. */
export function thisMachine(paths: Paths): Machine {
  return {
    hostname: Deno.hostname(),
    network: thisNetwork,
    // not in our own folder: the web app's user may not be able to enter it by its path
    run: (argv, options) => run(argv, { cwd: "/", ...options }),
    runBytes,
    broker: brokerAt(paths.brokerSocket),
    programs: () => askPrograms(paths.supervisorSocket),
    browsers: new Hubs(paths),
    playChannel: (channel, signal) => playChannel(paths.mediaPlaySocket, channel, signal),
    listen: (at, answers) => new Datagrams(at, answers),
    isBridged,
    receiveWindows,
    connectionOwner,
    answers,
    openCover: async (display) => {
      const socket = await ownedSocket(display, await displayOwner(paths, display));
      return await Cover.open(socket, await readCookie(displayKey(paths, display)));
    },
    pressEscape: async (display) => {
      using connection = await displayOf(paths, display);
      await pressKey(connection, ESCAPE);
    },
    resetZoom: async (display) => {
      using connection = await displayOf(paths, display);
      await pressKey(connection, CONTROL, ZERO);
    },
    takePointer: async (display) => {
      using connection = await displayOf(paths, display);
      await leavePages(connection);
    },
    encoder: async (pid) => {
      const commandLine = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
      return commandLine ? { commandLine, threads: threadTimes(pid) } : null;
    },
    // who made the folder starts each X server
    isDisplayFree: async (display) => await isDisplayFree(display, (await Deno.lstat(paths.slotsDir)).uid!),
    isDisplayTaken: async (display) => await isAnothersDisplay(display, await displayOwner(paths, display)),
    space: spaceAt,
    memory: memoryOfTrees,
    processorTimes,
    frames: () => askForCounts(paths.captureDir, FRAMES_MS),
    recordings: new RecorderClient(paths.captureDir),
    load: machineLoad,
    cpuTimes: () => cpuTimes().catch(() => null),
    oomKills: () => oomKills(),
    now: Date.now,
    elapsed: () => performance.now(),
  };
}
