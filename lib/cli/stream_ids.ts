/** `stream-ids`: reads the stream list as the web app's user, for `up`, which is root and must not look into it. */
import { AccessTokens } from "../auth/access_tokens.ts";
import { Users } from "../auth/users.ts";
import type { Config } from "../config.ts";
import { pathsOf } from "../paths.ts";
import { isStreamId, type StreamId } from "../model/id.ts";
import { FileStreamStore } from "../store/file_streams.ts";
import { Walls } from "../store/walls.ts";
import { becomeUser } from "../os/exec.ts";
import { run } from "../os/process.ts";
import { recordedUser } from "../os/users.ts";
import type { SelfCommand } from "./self.ts";
import { StartError } from "./start_error.ts";
import { reachableDataDir } from "./web_user.ts";

/** Prints the ids of the stored streams, one a line. @throws {StreamFileError | AccessFileError | WallFileError} when a file
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
  console.log(store.list().map(({ id }) => id).join("\n"));
}

/** The ids that `stream-ids` prints. @throws {StartError} with the problem of the list. */
export async function readStreamIds(program: SelfCommand, env: Record<string, string>): Promise<StreamId[]> {
  const MAX_BYTES = 16 * 1024 * 1024;
  const { code, stdout, stderr } = await run([...program.executable, "stream-ids"], {
    timeoutMs: 30_000,
    env,
    clearEnv: true,
    maxOutput: MAX_BYTES,
  });
  if (code !== 0) throw new StartError(stderr.trim());
  return stdout.split("\n").filter(isStreamId);
}
