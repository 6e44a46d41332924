/** What deleted streams have left, because a deletion was cut off or somebody edited the list. */
import type { Broker } from "../broker/protocol.ts";
import type { Paths } from "../paths.ts";
import { isStreamId, type StreamId } from "../streams/id.ts";
import { errorText, log } from "../system/log.ts";

/**
 * Removes the profiles and logs of streams that are not in the list. Without a list nothing is removed: then it is more
 * likely that the list is elsewhere than that all streams were deleted. @param ids all there are.
 */
export async function removeLeftovers(
  { streamsFile, profilesDir, logsDir }: Pick<Paths, "streamsFile" | "profilesDir" | "logsDir">,
  ids: readonly StreamId[],
  broker: Pick<Broker, "remove">,
): Promise<void> {
  if (!await Deno.lstat(streamsFile).catch(() => null)) return;
  const folders = await Promise.all(
    [profilesDir, logsDir].map((path) => Array.fromAsync(Deno.readDir(path))),
  );
  const names = new Set(folders.flat().filter(({ isDirectory }) => isDirectory).map(({ name }) => name));
  for (const name of names) {
    if (!isStreamId(name) || ids.includes(name)) continue;
    try {
      await broker.remove(name);
      log("info", "what a deleted stream left is removed", { stream: name });
    } catch (error) {
      log("warn", "what a deleted stream left is not removed", { stream: name, error: errorText(error) });
    }
  }
}
