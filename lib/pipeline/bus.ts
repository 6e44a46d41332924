/**
 * The D-Bus of one browser. Chromium asks a desktop's services for some things at its start, and complains of each where
 * there is no bus; on this one it is told that there are no such services.
 */
import { withTimeout } from "../system/time.ts";

/** The command line of a bus that says its address when it listens, and ends with the process that starts it. */
export function busCommand(settings: string, socket: string): string[] {
  return [
    "/usr/bin/setpriv",
    // a browser that is killed leaves none behind
    "--pdeathsig=KILL",
    "--",
    // the supervisor's signal to the browser's process group must not end it first: Chromium would abort
    "/usr/bin/setsid",
    "/usr/bin/dbus-daemon",
    `--config-file=${settings}`,
    `--address=${busAddress(socket)}`,
    "--print-address",
    "--nofork",
    "--nopidfile",
    "--nosyslog",
  ];
}

/** Source: the D-Bus specification, "Server Addresses". */
export function busAddress(socket: string): string {
  const bytes = [...new TextEncoder().encode(socket)].map((byte) => {
    const character = String.fromCharCode(byte);
    return /[-0-9A-Za-z_/.]/.test(character) ? character : `%${byte.toString(16).padStart(2, "0")}`;
  });
  return `unix:path=${bytes.join("")}`;
}

/** An address that leads nowhere, so that nobody looks for a bus elsewhere. */
const NO_BUS = "disabled:";

/** The environment of a program that finds a bus at `address` only. */
export function busVariables(address = NO_BUS): Record<string, string> {
  return { DBUS_SESSION_BUS_ADDRESS: address, DBUS_SYSTEM_BUS_ADDRESS: address };
}

/** Milliseconds until a bus listens, which takes 10 on an idle machine. A browser without one only complains in its log. */
const START_MS = 5000;

/**
 * Starts a bus that lives as long as this process, and what it becomes. Its messages go where ours go.
 * @returns its address; null when there is none.
 */
export async function startBus(command: string[], env: Record<string, string>): Promise<string | null> {
  const [program, ...args] = command;
  let bus: Deno.ChildProcess | undefined;
  try {
    bus = new Deno.Command(program, { args, env, clearEnv: true, stdin: "null", stdout: "piped" }).spawn();
    return await withTimeout(START_MS, firstLine(bus.stdout));
  } catch (error) {
    console.error(`the browser has no D-Bus, and complains of that: ${(error as Error).message}`);
    if (bus) end(bus);
    return null;
  }
}

function end(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // it has ended itself
  }
}

/** @throws {Error} when there is none. */
async function firstLine(output: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = "";
  for await (const piece of output.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const end = text.indexOf("\n");
    if (end >= 0) return text.slice(0, end);
  }
  throw new Error("it has ended");
}
