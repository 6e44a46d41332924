/** The subcommands. */
import { type Config, describeVariables, parseConfig, PROXY_VARIABLES } from "../config.ts";
import { isStreamId, type StreamId } from "../model/id.ts";
import { isProgramKind, type ProgramKind, PROGRAMS } from "../model/programs.ts";
import { errorText, say, setLogFormat, setLogLevel } from "../system/log.ts";
import { ancestorsAlive } from "../os/ancestors.ts";
import { versionText } from "../system/version.ts";
import type { SelfCommand } from "./self.ts";

export const HELP = `Browser Stream turns web pages into live TV channels.

  browser-stream up            runs the whole service, in the foreground
  browser-stream doctor        checks all that a picture needs, and says what to do; --json: for programs
  browser-stream backup FILE   saves settings and history, also while the service runs;
                               --profiles: the browsers' profiles, too, while it does not run
  browser-stream restore FILE  replaces the data by a backup, while the service does not run
  browser-stream install       installs this executable, the packages and a systemd unit, and starts the service
  browser-stream upgrade       replaces the installed executable by this one, and undoes that if it does not answer
  browser-stream uninstall     removes what was installed; --purge: all data, too
  browser-stream cluster init  creates the cluster of CLUSTER, with this machine's streams; status: its nodes;
                               drain: gives this machine's streams to the others; resume: takes streams again
  browser-stream user list     lists who can log in; add NAME --role=viewer|operator|admin, password NAME, role NAME ROLE, remove NAME;
                               a password is asked for, or read from stdin
  browser-stream policies      prints Chromium's policies, to install them by hand where the service is not root
  browser-stream serve         runs the web app behind the front door (the supervisor does this);
                               --port: alone, on PORT, without limits of connections
  browser-stream --version     prints the version
  browser-stream --help        prints this text

The supervisor also runs: front, media, vnc-proxy, capture, and with a stream's id
${describePrograms()}

Environment variables:
${describeVariables()}
`;

/** The programs of a stream as lines for --help. */
function describePrograms(): string {
  return Object.entries(PROGRAMS).map(([kind, { about }]) => `  ${kind.padEnd(12)}${about}`).join("\n");
}

// A command's modules are loaded on demand: most commands become another program, which starts sooner with few modules.

type SharedProgram = (config: Config, program: SelfCommand) => Promise<void>;

const SHARED: Record<string, () => Promise<SharedProgram>> = {
  front: async () => (await import("./programs/front.ts")).front,
  media: async () => (await import("./programs/media.ts")).media,
  "vnc-proxy": async () => (await import("./programs/vnc_proxy.ts")).vncProxy,
  capture: async () => (await import("./programs/capture.ts")).capture,
};

type StreamProgram = (config: Config, id: StreamId) => Promise<void>;

const OF_A_STREAM: Record<ProgramKind, () => Promise<StreamProgram>> = {
  display: async () => (await import("./programs/display.ts")).display,
  wm: async () => (await import("./programs/window_manager.ts")).windowManager,
  browser: async () => (await import("./programs/browser.ts")).browser,
  encoder: async () => (await import("./programs/encoder.ts")).encoder,
  audio: async () => (await import("./programs/audio.ts")).audio,
  autologin: async () => (await import("./programs/autologin.ts")).autologin,
  autoreload: async () => (await import("./programs/autoreload.ts")).autoreload,
  push: async () => (await import("./programs/push.ts")).push,
};

/** A command that a person types, beside `up`; returns the exit code. */
type OperatorCommand = (config: Config, args: readonly string[], program: SelfCommand) => Promise<number>;

const operators = () => import("./operators.ts");

const OF_OPERATORS: Record<string, () => Promise<OperatorCommand>> = {
  doctor: async () => (await operators()).doctor,
  backup: async () => (await operators()).backup,
  restore: async () => (await operators()).restore,
  install: async () => (await operators()).install,
  upgrade: async () => (await operators()).upgrade,
  user: async () => (await operators()).user,
  cluster: async () => (await import("./cluster.ts")).cluster,
  uninstall: async () => (await operators()).uninstall,
};

/** Errors whose message is meant for the person at the terminal; by name, since their modules may not be loaded. */
const FOR_PEOPLE = [
  "ConfigError",
  "StartError",
  "CommandError",
  "StreamFileError",
  "AccessFileError",
  "WallFileError",
  "UsersFileError",
];

function isForPeople(error: unknown): boolean {
  return error instanceof Error && FOR_PEOPLE.includes(error.name);
}

/**
 * Removes the proxies' variables from this process: Deno's `fetch` would use a proxy even for this machine. A request
 * that needs a proxy names it.
 */
function forgetProxies(): void {
  for (const name of [...PROXY_VARIABLES, "ALL_PROXY"]) {
    for (const spelling of [name, name.toLowerCase()]) Deno.env.delete(spelling);
  }
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
  setLogFormat("text"); // until the configuration is known
  if (name === undefined || name === "--help" || name === "-h" || name === "help") return console.log(HELP);
  if (name === "--version" || name === "version") return console.log(versionText());
  try {
    const isOfOperators = Object.hasOwn(OF_OPERATORS, name);
    const own = Deno.env.toObject();
    const env = isOfOperators ? await (await import("./settings_file.ts")).withSettingsFile(own) : own;
    const config = parseConfig(env, Deno.cwd());
    forgetProxies();
    if (name === "policies") return await (await operators()).printPolicies(config);
    setLogLevel(config.LOG_LEVEL);
    if (isOfOperators) Deno.exit(await (await OF_OPERATORS[name]())(config, args.slice(1), program));
    setLogFormat(config.LOG_FORMAT);
    if (name === "up") {
      const isWanted = ancestorsAlive(); // the present ancestors
      Deno.exit(await (await import("./up.ts")).up(config, program, isWanted));
    }
    if (name === "serve") return await serve(config, program, id === "--port");
    if (name === "stream-ids") return await (await import("./stream_ids.ts")).printStreamIds(config);
    if (Object.hasOwn(SHARED, name)) return await (await SHARED[name]())(config, program);
    if (isProgramKind(name) && isStreamId(id)) {
      return await (await OF_A_STREAM[name]())(config, id);
    }
    console.error(`There is no command "${args.join(" ")}".\n\n${HELP}`);
    Deno.exit(2);
  } catch (error) {
    say(isForPeople(error) ? errorText(error) : Deno.inspect(error), "error");
    Deno.exit(1);
  }
}
