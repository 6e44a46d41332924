/** The way of VNC viewers from the front door to the web app: their bytes pass, but for messages that are too long. */
import { closeAnyway } from "../system/close.ts";
import { removeTree } from "../system/files.ts";
import { writeAll } from "../system/write_all.ts";
import { happensWithin, withTimeout } from "../system/time.ts";
import type { Timings } from "../timings.ts";
import { MAX_MESSAGE_BYTES, PassingFrames } from "../vnc/passing_frames.ts";

/** Bytes of one read. */
const READ_SIZE = 64 * 1024;

type RelayLimits = Pick<Timings["vnc"], "closeMs" | "goneMs">;

/**
 * Takes the front door's connections for WebSockets, and passes each on to the web app.
 * @param path in a folder for the front door's group. @param webSocket where the web app takes requests.
 */
export async function serveViewers(
  path: string,
  webSocket: string,
  limits: RelayLimits,
): Promise<AsyncDisposable> {
  await removeTree(path); // of a web app that was killed
  const listener = Deno.listen({ transport: "unix", path });
  await Deno.chmod(path, 0o660);
  const relays = new Set<Promise<void>>();
  const accepting = (async () => {
    for await (const viewer of listener) {
      const relay = relayed(viewer, webSocket, limits).finally(() => relays.delete(relay));
      relays.add(relay);
    }
  })();
  return {
    /** Lets nobody more in; resolves when the web app has ended the connections there are. */
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting.catch(() => {});
      await Promise.all(relays);
    },
  };
}

/** Passes bytes both ways until the web app ends the connection, or has waited for its end long enough. Never rejects. */
async function relayed(viewer: Deno.UnixConn, webSocket: string, limits: RelayLimits): Promise<void> {
  const web = await Deno.connect({ transport: "unix", path: webSocket }).catch(() => null);
  if (!web) return closeAnyway(viewer); // the front door says 503
  const end = () => {
    closeAnyway(web);
    closeAnyway(viewer);
  };
  // Deno itself cannot end a connection whose viewer does not answer its close frame
  let farewell: ReturnType<typeof setTimeout> | undefined;
  const onPass = ({ isClosing }: PassingFrames) => {
    if (isClosing) farewell ??= setTimeout(end, limits.closeMs);
  };
  const upward = new PassingFrames(MAX_MESSAGE_BYTES);
  const fromViewer = pump(viewer, web, upward, limits, () => {})
    .then(() => web.closeWrite()).catch(end);
  await pump(web, viewer, new PassingFrames(Infinity), limits, onPass).catch(() => {});
  clearTimeout(farewell);
  // what is not read would make the kernel reset the connection, and the close frame be lost
  if (upward.isOver) await happensWithin(limits.closeMs, fromViewer);
  end();
  await fromViewer;
}

/** Passes on what comes, until its end. @throws when one of the two is gone, or takes nothing for too long. */
async function pump(
  from: Deno.Conn,
  to: Deno.Conn,
  frames: PassingFrames,
  { goneMs }: RelayLimits,
  onPass: (frames: PassingFrames) => void,
): Promise<void> {
  const buffer = new Uint8Array(READ_SIZE);
  for (let count = await from.read(buffer); count !== null; count = await from.read(buffer)) {
    const bytes = frames.pass(buffer.subarray(0, count));
    onPass(frames);
    await withTimeout(2 * goneMs, writeAll(to, bytes)); // the bridge has given it up by then
  }
}
