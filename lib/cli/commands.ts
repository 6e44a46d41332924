/** The subcommands. */
import { AccessFileError } from "../auth/access_file.ts";
import { type Config, ConfigError, describeVariables, parseConfig } from "../config.ts";
import { pathsOf } from "../paths.ts";
import { readAuthorities } from "../pipeline/authorities.ts";
import { policyText } from "../pipeline/policy.ts";
import { StreamFileError } from "../streams/file.ts";
import { isStreamId, type StreamId } from "../streams/id.ts";
import { isProgramKind, type ProgramKind, PROGRAMS } from "../streams/programs.ts";
import { errorText, setLogLevel } from "../system/log.ts";
import { ancestorsAlive } from "../system/ancestors.ts";
import type { SelfCommand } from "./self.ts";
import {
  audio,
  autologin,
  autoreload,
  browser,
  capture,
  display,
  encoder,
  front,
  media,
  vncProxy,
  windowManager,
} from "./subcommands.ts";
import { StartError } from "./start_error.ts";
import { printStreamIds } from "./stream_ids.ts";
import { up } from "./up.ts";

export const HELP = `Browser Stream turns web pages into live TV channels.

  browser-stream up       the whole service, in the foreground
  browser-stream serve    the web app behind the front door (the supervisor runs it);
                          --port: alone, on PORT and without limits of connections
  browser-stream policies Chromium's policies, to install them by hand where the service is not root
  browser-stream --help   this text

The supervisor also runs: front, media, vnc-proxy, capture, and with a stream's id
${describePrograms()}

Environment variables:
${describeVariables()}
`;

/** The programs of a stream as lines for --help. */
function describePrograms(): string {
  return Object.entries(PROGRAMS).map(([kind, { about }]) => `  ${kind.padEnd(12)}${about}`).join("\n");
}

const SHARED: Record<string, (config: Config, program: SelfCommand) => Promise<void>> = {
  front,
  media,
  "vnc-proxy": vncProxy,
  capture,
};

const OF_A_STREAM: Record<ProgramKind, (config: Config, id: StreamId) => Promise<void>> = {
  display,
  wm: windowManager,
  browser,
  encoder,
  audio,
  autologin,
  autoreload,
};

/** Errors whose message is meant for the person at the terminal. */
function isForPeople(error: unknown): boolean {
  return [ConfigError, StartError, StreamFileError, AccessFileError].some((kind) => error instanceof kind);
}

/**
 * Runs a subcommand and ends the process when it is done.
 * @param serve the web app, which only the entry knows.
 */
export async function runCommand(
  args: string[],
  program: SelfCommand,
  serve: (config: Config, program: SelfCommand, isAlone: boolean) => Promise<void>,
): Promise<void> {
  const [name, id = ""] = args;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") return console.log(HELP);
  try {
    const config = parseConfig(Deno.env.toObject(), Deno.cwd());
    if (name === "policies") {
      const { certificates } = await readAuthorities(pathsOf(config).caDir);
      return console.log(policyText(certificates).trimEnd());
    }
    setLogLevel(config.LOG_LEVEL);
    if (name === "up") Deno.exit(await up(config, program, ancestorsAlive()));
    if (name === "serve") return await serve(config, program, id === "--port");
    if (name === "stream-ids") return await printStreamIds(config);
    if (Object.hasOwn(SHARED, name)) return await SHARED[name](config, program);
    if (isProgramKind(name) && isStreamId(id)) {
      return await OF_A_STREAM[name](config, id);
    }
    console.error(`There is no command "${args.join(" ")}".\n\n${HELP}`);
    Deno.exit(2);
  } catch (error) {
    console.error(isForPeople(error) ? errorText(error) : error);
    Deno.exit(1);
  }
}
