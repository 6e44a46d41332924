/** `autoreload ID`: the helper that reloads a stream's page. */
import type { Config } from "../../config.ts";
import { autoReload } from "../../live/page/autoreload.ts";
import { browserAt, isTakenOver } from "../../browser/hub_socket.ts";
import { hubSocket } from "../../paths.ts";
import { ownedSocket } from "../../display/display.ts";
import type { StreamId } from "../../model/id.ts";
import { parseStatuses } from "../../model/page_sites.ts";
import { readCookie } from "../../display/x11/connection.ts";
import { Cover } from "../../display/x11/cover.ts";
import { streamContext } from "./context.ts";
import { untilTerminated } from "./life.ts";

/** Reloads a stream's page at the stream's interval, until the helper is stopped. */
export async function autoreload(config: Config, id: StreamId): Promise<never> {
  const { paths, spec, slot } = await streamContext(config, id);
  const { autoReloadInterval: minutes, whileBroken, acceptedStatuses } = spec.stream;
  const browser = browserAt(hubSocket(paths, id));
  const reloads = {
    browser,
    minutes,
    openCover: async () => {
      const socket = await ownedSocket(spec.display, Deno.uid()!);
      return await Cover.open(socket, await readCookie(slot.xauthority));
    },
    isTakenOver: () => isTakenOver(browser),
    showsBroken: whileBroken === "page",
    acceptedStatuses: parseStatuses(acceptedStatuses) ?? [],
  };
  return await untilTerminated((signal) => autoReload(reloads, signal));
}
