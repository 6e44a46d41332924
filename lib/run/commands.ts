/** The subcommands. */
import { type Config, parseConfig, PROXY_VARIABLES } from "../config.ts";
import { isStreamId, type StreamId } from "../model/id.ts";
import { isProgramKind, type ProgramKind } from "../model/programs.ts";
import { errorText, say, setLogFormat, setLogLevel } from "../machine/tools/log.ts";
import { ancestorsAlive } from "../machine/os/ancestors.ts";
import { versionText } from "../machine/tools/version.ts";
import { type Asked, readWords, UsageError, type Words } from "./command/words.ts";
import type { SelfCommand } from "./self.ts";

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
type OperatorCommand = (config: Config, words: Words, program: SelfCommand) => Promise<number>;

const operators = () => import("./operators.ts");

const OF_OPERATORS: Record<string, () => Promise<OperatorCommand>> = {
  doctor: async () => (await operators()).doctor,
  backup: async () => (await operators()).backup,
  restore: async () => (await operators()).restore,
  install: async () => (await operators()).install,
  upgrade: async () => (await operators()).upgrade,
  uninstall: async () => (await operators()).uninstall,
  user: async () => (await operators()).user,
  cluster: async () => (await import("./cluster.ts")).cluster,
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

/** The request of the words; ends the process with 2 where they are not a command. */
function asked(args: readonly string[]): Asked {
  try {
    return readWords(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    Deno.exit(2);
  }
}

/**
 * Runs a subcommand and ends the process when it is done. Words that are no command end it with 2, and an error with 1.
 * @param serve the web app, which only the entry knows.
 */
export async function runCommand(
  args: string[],
  program: SelfCommand,
  serve: (config: Config, program: SelfCommand, isAlone: boolean) => Promise<void>,
): Promise<void> {
  setLogFormat("text"); // until the configuration is known
  const words = asked(args);
  if ("help" in words) {
    return console.log((await import("./command/help.ts")).helpText(words.help, words.isAll));
  }
  const { name, operands: [operand = ""], options } = words;
  if (name === "version") return console.log(versionText());
  if (name === "completion") return console.log((await import("./command/completion.ts")).bashCompletion());
  try {
    const [first] = name.split(" ");
    const isOfOperators = Object.hasOwn(OF_OPERATORS, first);
    const own = Deno.env.toObject();
    const env = isOfOperators ? await (await import("./settings_file.ts")).withSettingsFile(own) : own;
    const config = parseConfig(env, Deno.cwd());
    forgetProxies();
    if (name === "policies") return await (await operators()).printPolicies(config);
    setLogLevel(config.LOG_LEVEL);
    if (isOfOperators) Deno.exit(await (await OF_OPERATORS[first]())(config, words, program));
    setLogFormat(config.LOG_FORMAT);
    if (name === "up") {
      const isWanted = ancestorsAlive(); // the present ancestors
      Deno.exit(await (await import("./up.ts")).up(config, program, isWanted));
    }
    if (name === "serve") return await serve(config, program, options.port === true);
    if (name === "stream-ids") return await (await import("./stream_ids.ts")).printStreamIds(config);
    if (Object.hasOwn(SHARED, name)) return await (await SHARED[name]())(config, program);
    if (isProgramKind(name) && isStreamId(operand)) return await (await OF_A_STREAM[name]())(config, operand);
    console.error(`"${operand}" is not a stream's id. Example: browser-stream ${name} clock`);
    Deno.exit(2);
  } catch (error) {
    say(isForPeople(error) ? errorText(error) : Deno.inspect(error), "error");
    Deno.exit(1);
  }
}
