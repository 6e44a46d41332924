/** A machine that lives in memory: what the service asks of it is answered at once, and nothing real is touched. */
import { Buffer } from "node:buffer";
import type { DatagramAnswers } from "../../lib/machine/net/datagrams.ts";
import type { Machine } from "../../lib/machine/machine.ts";
import type { Paths } from "../../lib/paths.ts";
import { testBroker } from "./broker.ts";
import { TestChannel } from "./rtmp_channel.ts";
import { slateUnit } from "./slate_unit.ts";
import { type FakeSupervisord, fakeSupervisord } from "./supervisord.ts";

export interface FakeMachine extends Machine {
  supervisord: FakeSupervisord;
  /** Lets time go by without waiting for it. */
  advance(ms: number): void;
  /** What a capture gives that is no PNG; a function may fail or wait. */
  capture: () => Promise<Uint8Array<ArrayBuffer>>;
  /** The pictures of a display that is watched; the bytes need not be whole pictures. */
  motion: () => AsyncIterable<Uint8Array<ArrayBuffer>>;
  /** Every channel at the media server. */
  channel: TestChannel;
  /** What is answered to a datagram at a port; undefined where nothing listens. @param towards our address there. */
  datagram(port: number, datagram: Uint8Array, towards: string): readonly Uint8Array[] | undefined;
}

/** A JPEG of 64x36 pixels. */
export const JPEG: Uint8Array<ArrayBuffer> = Uint8Array.from(Buffer.from(
  "/9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgoKC8oLzc3Nzc3N0E8QUNDQ0FBQUFDQ0NISEhVVVVISEhDQ0hIUFBVVVxfXFdXVVdfX2RkZHh4c3OMjJGsrM//xABNAAEBAAAAAAAAAAAAAAAAAAAABgEBAQEAAAAAAAAAAAAAAAAAAAUGEAEAAAAAAAAAAAAAAAAAAAAAEQEAAAAAAAAAAAAAAAAAAAAA/8AAEQgAJABAAwEiAAIRAAMRAP/aAAwDAQACEQMRAD8AmwGiQQAAAAAAAAAAAAAAAAAAAAAH/9k=",
  "base64",
));

/** A PNG, as far as the service looks at it. */
export const PNG: Uint8Array<ArrayBuffer> = Uint8Array.from(
  [137, 80, 78, 71, 13, 10, 26, 10, 0, 73, 69, 78, 68, 174, 66, 96, 130],
);

const noBrowser = () => Promise.reject(new Error("there is no browser"));

/** @param supervisord one that a service before this one used: the web app's restart. */
export function fakeMachine(paths: Paths, supervisord = fakeSupervisord(paths)): FakeMachine {
  let aheadMs = 0;
  const listening = new Map<number, DatagramAnswers>();
  const machine: FakeMachine = {
    hostname: "wall",
    network: {
      hostname: "wall",
      ownAddresses: () => ["127.0.0.1", "::1"],
      ownNetworks: () => [],
      resolve: () => Promise.resolve([]),
    },
    run: supervisord.run,
    runBytes: () => Promise.resolve({ code: 0, stdout: slateUnit(), stderr: "" }),
    broker: testBroker(
      paths,
      (kind) => kind === "png" ? Promise.resolve(PNG) : machine.capture(),
      () => machine.motion(),
    ),
    programs: supervisord.programs,
    listen: ({ port }, answers) => ({
      start: () => void listening.set(port, answers),
      stop: () => Promise.resolve(void listening.delete(port)),
    }),
    isBridged: () => Promise.resolve(false),
    receiveWindows: () => [],
    connectionOwner: () => Promise.resolve(null),
    answers: () => Promise.resolve(true),
    browsers: {
      of: () => ({
        open: noBrowser,
        answers: () => Promise.resolve(true),
        pages: noBrowser,
        connect: noBrowser,
        connectFirst: noBrowser,
        openTab: noBrowser,
        closeTab: noBrowser,
        showTab: noBrowser,
      }),
      serve: () => Promise.resolve(),
      stop: () => Promise.resolve(),
    },
    playChannel: (channel, signal) => machine.channel.play(channel, signal),
    pressEscape: () => Promise.resolve(),
    takePointer: () => Promise.resolve(),
    resetZoom: () => Promise.resolve(),
    openCover: () => Promise.reject(new Error("there is no display")),
    encoder: () => Promise.resolve(null),
    isDisplayFree: () => Promise.resolve(true),
    isDisplayTaken: () => Promise.resolve(false),
    memory: () => Promise.resolve(new Map()),
    processorTimes: () => Promise.resolve(new Map()),
    frames: () => Promise.resolve(new Map()),
    recordings: { order: () => Promise.resolve(), remind: () => Promise.resolve() },
    load: () =>
      Promise.resolve({
        cores: 2,
        processors: 2,
        machineCores: 2,
        machineBytes: 8.2e9,
        tasks: null,
        load: [0.42, 0.5, 0.61],
        memory: { totalBytes: 8.2e9, availableBytes: 5.1e9 },
      }),
    cpuTimes: () => Promise.resolve(null),
    oomKills: () => Promise.resolve(0),
    space: () => Promise.resolve({ totalBytes: 1e12, freeBytes: 5e11, totalFiles: 0, freeFiles: 0 }),
    now: () => Date.now() + aheadMs,
    elapsed: () => performance.now() + aheadMs,
    supervisord,
    advance: (ms) => aheadMs += ms,
    capture: () => Promise.resolve(JPEG),
    motion: async function* () {},
    channel: new TestChannel(),
    datagram: (port, datagram, towards) => listening.get(port)?.(datagram, towards),
  };
  return machine;
}
