/**
 * The D-Bus of one browser. Chromium asks a desktop's services for some things at its start, and logs an error for each
 * without a bus; this bus answers that there are no such services.
 */
import { withTimeout } from "../../../machine/tools/time.ts";

/** The command line of a bus that says its address when it listens, and ends with the process that starts it. */
export function busCommand(settings: string, socket: string): string[] {
  return [
    "/usr/bin/setpriv",
    // a killed browser leaves no bus behind
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

/** An address that leads nowhere, so that no program looks for a bus elsewhere. */
const NO_BUS = "disabled:";

/** The environment of a program that finds a bus at `address` only. */
export function busVariables(address = NO_BUS): Record<string, string> {
  return { DBUS_SESSION_BUS_ADDRESS: address, DBUS_SYSTEM_BUS_ADDRESS: address };
}

/** Milliseconds until a bus listens, which takes 10 on an idle machine. A browser without a bus only logs errors. */
const START_MS = 5000;

/**
 * Starts a bus that lives as long as this process, also after `execve`. Its messages go to our output.
 * @returns its address; null: the bus does not listen.
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
    // the bus has ended by itself
  }
}

/** @throws {Error} when there is no line. */
async function firstLine(output: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = "";
  for await (const piece of output.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const end = text.indexOf("\n");
    if (end >= 0) return text.slice(0, end);
  }
  throw new Error("it has ended");
}
