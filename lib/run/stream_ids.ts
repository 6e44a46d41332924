/** `stream-ids`: reads the stream list as the web app's user, for `up`, which is root and must not look into it. */
import { AccessTokens } from "../door/access/access_tokens.ts";
import { Users } from "../door/access/users.ts";
import type { Config } from "../config.ts";
import { pathsOf } from "../paths.ts";
import { isStreamId, type StreamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";
import { FileStreamStore } from "../store/file_streams.ts";
import { Walls } from "../store/walls.ts";
import { readOrNull } from "../machine/os/files.ts";
import { parseOwnStreams } from "../cluster/own_streams.ts";
import { becomeUser } from "../machine/os/exec.ts";
import { run } from "../machine/os/process.ts";
import { recordedUser } from "../machine/os/users.ts";
import type { SelfCommand } from "./self.ts";
import { StartError } from "./start_error.ts";
import { reachableDataDir } from "./web_user.ts";

/** What follows the id of a stream that another machine of the cluster has. */
const ELSEWHERE = " elsewhere";
/** What stands before the ids of this machine's streams that no start of the service starts. */
const AT_REST = "at rest: ";

/** Prints the ids of the stored streams, one a line, which are elsewhere, and which are at rest. @throws {StreamFileError | AccessFileError | WallFileError} when a file
 * cannot be read. */
export async function printStreamIds(given: Config): Promise<void> {
  const user = await recordedUser(pathsOf(given).webDir);
  const config = await reachableDataDir(given, user);
  becomeUser(user, { processes: null });
  const store = await FileStreamStore.open(pathsOf(config).streamsFile);
  // these throw now where a file is broken
  await AccessTokens.open(pathsOf(config).accessTokensFile, Date.now);
  await Walls.open(pathsOf(config).wallsFile);
  await Users.open({ path: pathsOf(config).usersFile, now: Date.now });
  const own = config.CLUSTER.length > 0 ? await ownStreams(pathsOf(config).ownStreamsFile) : null;
  const isElsewhere = (id: StreamId) => own !== null && !own.has(id);
  console.log(streamIdsText(store.list(), isElsewhere));
}

export function streamIdsText(
  streams: readonly Pick<Stream, "id" | "desiredState" | "onDemand">[],
  isElsewhere: (id: StreamId) => boolean,
): string {
  const lines = streams.map(({ id }) => `${id}${isElsewhere(id) ? ELSEWHERE : ""}`);
  const atRest = streams.filter(({ desiredState, onDemand }) => desiredState === "stopped" || onDemand);
  return [...lines, AT_REST + atRest.map(({ id }) => id).join(" ")].join("\n");
}

/** Null: it is not known, so that all may be this machine's. */
async function ownStreams(file: string): Promise<ReadonlyMap<StreamId, number> | null> {
  const text = await readOrNull(file);
  try {
    return text === null ? null : parseOwnStreams(text);
  } catch {
    return null;
  }
}

/** The stored streams, and the streams among them that are known as this machine's. */
export interface StreamIds {
  all: StreamId[];
  own: StreamId[];
}

/** Which of these streams `stream-ids` has not printed as being at rest. */
export function startedIds(printed: string, ids: readonly StreamId[]): StreamId[] {
  const line = printed.split("\n").find((line) => line.startsWith(AT_REST)) ?? AT_REST;
  const atRest = new Set(line.slice(AT_REST.length).split(" "));
  return ids.filter((id) => !atRest.has(id));
}

/** What `stream-ids` has printed; other lines do not count. */
export function parseStreamIds(printed: string): StreamIds {
  const lines = printed.split("\n");
  const elsewhere = lines.flatMap((line) => line.endsWith(ELSEWHERE) ? line.slice(0, -ELSEWHERE.length) : []);
  const own = lines.filter(isStreamId);
  return { all: [...own, ...elsewhere.filter(isStreamId)], own };
}

/** The ids that `stream-ids` prints, and the ids that a start starts. @throws {StartError} with the problem of the list. */
export async function readStreamIds(
  program: SelfCommand,
  env: Record<string, string>,
): Promise<StreamIds & { started: StreamId[] }> {
  const MAX_BYTES = 16 * 1024 * 1024;
  const { code, stdout, stderr } = await run([...program.executable, "stream-ids"], {
    timeoutMs: 30_000,
    env,
    clearEnv: true,
    maxOutput: MAX_BYTES,
  });
  if (code !== 0) throw new StartError(stderr.trim());
  const ids = parseStreamIds(stdout);
  return { ...ids, started: startedIds(stdout, ids.own) };
}
