/** The left-over files of deleted streams, after a cut-off deletion or an edited list. */
import type { Paths } from "../paths.ts";
import { isStreamId, type StreamId } from "../model/id.ts";
import { errorText, log } from "../machine/tools/log.ts";

export interface LeftoversParts {
  paths: Pick<Paths, "streamsFile" | "profilesDir" | "logsDir" | "rewindDir" | "exportsDir">;
  /** All streams. Called after the folders were listed: a stream is stored before it has folders. */
  ids(): Promise<readonly StreamId[]>;
  /** The streams that other machines of the cluster have by now: their past stays, as far as this machine has it. */
  elsewhere?: readonly StreamId[];
  /** @param keepsPast whether the stream's past and exports stay. */
  remove(id: StreamId, keepsPast: boolean): Promise<void>;
}

/**
 * Removes the profiles, the logs and the past of streams that are not in the list. Without a list nothing is removed: then it is more
 * likely that the list is elsewhere than that all streams were deleted.
 */
export async function removeLeftovers({ paths, ids, elsewhere = [], remove }: LeftoversParts): Promise<void> {
  const { streamsFile, profilesDir, logsDir, rewindDir, exportsDir } = paths;
  if (!await Deno.lstat(streamsFile).catch(() => null)) return;
  const folders = await Promise.all(
    [profilesDir, logsDir, rewindDir, exportsDir].map((path) => Array.fromAsync(Deno.readDir(path))),
  );
  const [profiles, logs, ...pasts] = folders.map((entries) =>
    entries.filter(({ isDirectory }) => isDirectory).map(({ name }) => name)
  );
  const used = new Set([...profiles, ...logs]);
  const names = new Set([...used, ...pasts.flat()]);
  const known = await ids();
  for (const name of names) {
    if (!isStreamId(name) || known.includes(name)) continue;
    const keepsPast = elsewhere.includes(name);
    if (keepsPast && !used.has(name)) continue;
    try {
      await remove(name, keepsPast);
      const of = keepsPast ? "a stream that another machine has" : "a deleted stream";
      log("info", `removed the files of ${of}`, { stream: name });
    } catch (error) {
      log("warn", "the files of a deleted stream were not removed", {
        stream: name,
        error: errorText(error),
      });
    }
  }
}
