/** Ports and displays of one test service: reserved by a lock, so that nobody else gets them at the same time. */

/** Displays of one slot. */
const DISPLAYS = 20;
const PORTS = ["PORT", "MEDIA_PORT", "RTMP_PORT", "VNC_PROXY_PORT"] as const;
const PORTS_OF_SLOT = PORTS.length;
const SLOTS = 100;
const FIRST_DISPLAY = 1000;

export interface Slot extends Disposable {
  number: number;
  /** Its ports of loopback, four. */
  ports: number[];
  /** The variables that choose ports and displays. */
  env: Record<typeof PORTS[number] | "DISPLAY_BASE", string>;
  /** Locks and sockets of its displays. */
  displayFiles(): string[];
}

/** Reserves the first slot that nobody has, until it is disposed of or this process ends. */
export function reserveSlot(): Slot {
  for (let number = 0; number < SLOTS; number++) {
    const lock = lockFile(`/dev/shm/bs-test-slot-${number}.lock`);
    if (!lock) continue;
    const first = firstPort() + number * PORTS_OF_SLOT;
    const displayBase = FIRST_DISPLAY + number * DISPLAYS;
    const ports = PORTS.map((_, at) => first + at);
    const slot: Slot = {
      number,
      ports,
      env: {
        ...Object.fromEntries(PORTS.map((name, at) => [name, String(ports[at])])) as Record<
          typeof PORTS[number],
          string
        >,
        DISPLAY_BASE: String(displayBase),
      },
      displayFiles: () => displayFiles(displayBase),
      [Symbol.dispose]: () => lock[Symbol.dispose](),
    };
    // what another program has, or one that crashed has left, would be taken for ours
    if (slot.displayFiles().length === 0 && ports.every(isPortFree)) return slot;
    slot[Symbol.dispose]();
  }
  throw new Error(`all ${SLOTS} slots for test services are taken`);
}

/** The slots' ports are none of those that the kernel gives out. */
function firstPort(): number {
  const [low, high] = Deno.readTextFileSync("/proc/sys/net/ipv4/ip_local_port_range").split(/\s+/).map(
    Number,
  );
  const below = low - SLOTS * PORTS_OF_SLOT;
  return below > 1024 ? below : high + 1;
}

/** Locks a file, which goes with the lock; null when somebody has it. */
function lockFile(path: string): Disposable | null {
  const file = Deno.openSync(path, { create: true, write: true });
  // the one who had it may have removed it since we opened it
  const isStillThere = () => {
    try {
      return Deno.statSync(path).ino === file.statSync().ino;
    } catch {
      return false;
    }
  };
  if (file.tryLockSync(true) && isStillThere()) {
    return {
      [Symbol.dispose]() {
        Deno.removeSync(path);
        file.close();
      },
    };
  }
  file.close();
  return null;
}

/** The display that a lock, a socket or a keyboard map in its folder is of; NaN of other names. */
export function displayOfFile(name: string): number {
  return Number(/^(?:\.X(\d+)-lock|X(\d+)|server-(\d+)\.xkm)$/.exec(name)?.slice(1).find(Boolean) ?? NaN);
}

function displayFiles(base: number): string[] {
  const names = ["/tmp", "/tmp/.X11-unix"].flatMap((folder) => {
    try {
      return [...Deno.readDirSync(folder)].map(({ name }) => name);
    } catch {
      return []; // no display has run yet
    }
  });
  return names.filter((name) => {
    const display = displayOfFile(name);
    return display > base && display <= base + DISPLAYS;
  });
}

/** Whether a TCP port of loopback is free. */
function isPortFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch {
    return false;
  }
}
