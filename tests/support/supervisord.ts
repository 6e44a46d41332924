/** A supervisord that lives in memory: it understands supervisorctl's commands, and tells its programs. */
import { dirname } from "node:path";
import { playlistFile, seedPlaylist } from "../../lib/channel/media/hls.ts";
import type { Paths } from "../../lib/paths.ts";
import { isStreamId, type StreamId, streamId } from "../../lib/model/id.ts";
import { HELPER_PROGRAMS, PIPELINE_PROGRAMS, type ProgramState } from "../../lib/model/programs.ts";
import { groupName, groupsOf } from "../../lib/machine/supervisor/program_files.ts";
import type { Program } from "../../lib/machine/supervisor/status.ts";
import type { Runner } from "../../lib/machine/os/process.ts";
import { aProgram, namesIn } from "./fixture.ts";

export interface FakeSupervisord {
  run: Runner;
  programs(): Promise<Program[]>;
  /** Commands so far, such as "start stream-a:*"; emptied by reading. */
  commands(): string[];
  /** The state of a program such as "encoder-a". */
  state(name: string): ProgramState | undefined;
  /** Sets the state of a program, as if it had died. */
  setState(name: string, state: ProgramState): void;
  /** A program that is in no file of a stream. */
  add(program: Program): void;
  /** Starts a program anew, as supervisord does by itself. */
  revive(name: string): void;
  /** All programs at this moment, by name. */
  table(): ReadonlyMap<string, Readonly<Program>>;
  /** Makes commands wait until the returned function is called. */
  block(): () => void;
  /** Makes commands fail, until it is given null. */
  fail(message: string | null): void;
  /** The most commands that were under way at once. */
  mostAtOnce(): number;
  /** Hears of each browser that is started. */
  onbrowser: (id: StreamId) => void;
}

const kindOf = (name: string) => name.slice(0, name.indexOf("-"));

/** An encoder that starts writes its channel's playlist. @param paths where the streams' files and channels are. */
export function fakeSupervisord(
  { programsDir, hlsDir }: Pick<Paths, "programsDir" | "hlsDir">,
): FakeSupervisord {
  const known = new Map<string, Program>();
  let calls: string[] = [];
  let gate: Promise<void> = Promise.resolve();
  let failure: string | null = null;
  let atOnce = 0, most = 0;
  let lastPid = 100;

  async function update(groups: string[]): Promise<void> {
    const ids = (await namesIn(programsDir)).flatMap((name) => {
      const id = name.replace(/\.conf$/, "");
      return isStreamId(id) ? [id] : []; // a file that is being written has another name
    });
    for (const group of groups) {
      for (const [name, program] of known) if (program.group === group) known.delete(name);
      const id = ids.find((one) => groupsOf(one).includes(group));
      if (id === undefined) continue;
      const kinds = group === groupName(id)
        ? PIPELINE_PROGRAMS
        : HELPER_PROGRAMS.filter((k) => group === `${k}-${id}`);
      for (const kind of kinds) {
        const name = `${kind}-${id}`;
        known.set(name, aProgram(name, { group, state: "STOPPED", pid: 0 }));
      }
    }
  }

  async function publish(encoder: string): Promise<void> {
    const file = playlistFile(hlsDir, streamId(encoder.slice("encoder-".length)));
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(file, `${seedPlaylist(Date.now())}#EXTINF:1.000,\n1.ts\n`);
  }

  /** The programs that "group:*", "group:name" or "name" means. */
  function meant(word: string): Program[] {
    const [group, name = group] = word.split(":");
    return [...known.values()].filter((one) => name === "*" ? one.group === group : one.name === name);
  }

  const run: Runner = async (argv) => {
    const answer = { code: 0, stdout: "", stderr: "" };
    if (!argv[0].endsWith("supervisorctl")) return answer;
    const [action, ...given] = argv.slice(3);
    calls.push([action, ...given].join(" "));
    const words = action === "signal" ? given.slice(1) : given;
    most = Math.max(most, ++atOnce);
    try {
      await gate;
      if (failure !== null) return { ...answer, code: 1, stdout: `${words[0]}: ERROR (${failure})\n` };
      if (action === "update") await update(words);
      for (const program of action === "update" ? [] : words.flatMap(meant)) {
        program.state = action === "stop" ? "STOPPED" : "RUNNING";
        if (action === "stop") program.pid = 0;
        if (program.state === "RUNNING" && (action !== "start" || program.pid === 0)) program.pid = ++lastPid;
        if (kindOf(program.name) === "encoder" && program.state === "RUNNING") await publish(program.name);
        if (kindOf(program.name) === "browser" && program.state === "RUNNING") {
          fake.onbrowser(streamId(program.name.slice("browser-".length)));
        }
      }
      return answer;
    } finally {
      atOnce--;
    }
  };

  const fake: FakeSupervisord = {
    run,
    programs: () => Promise.resolve([...known.values()].map((program) => ({ ...program }))),
    commands() {
      const now = calls;
      calls = [];
      return now;
    },
    state: (name) => known.get(name)?.state,
    setState: (name, state) => known.get(name)!.state = state,
    add: (program) => known.set(program.name, program),
    revive: (name) => Object.assign(known.get(name)!, { state: "RUNNING", pid: ++lastPid }),
    table: () => known,
    block() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    fail: (message) => failure = message,
    mostAtOnce: () => most,
    onbrowser: () => {},
  };
  return fake;
}
