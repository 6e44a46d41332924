/**
 * The capture program: films displays for encoders. There is a folder for each display in use, which only root makes; its
 * name is the display's number, and its group the display's user.
 */
import { join } from "node:path";
import { ownedSocket } from "../display.ts";
import { parseSize } from "../../model/schema.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import { readCookie } from "../x11/connection.ts";
import { DisplaySockets, hasSockets } from "./display_sockets.ts";
import type { FrameCounts } from "./frame_counts.ts";
import { Screen } from "./screen.ts";
import type { PictureWatcher } from "./stream_pictures.ts";

export interface CaptureParts {
  /** The folder with the displays' folders. */
  foldersDir: string;
  /** The file with the key to a display. */
  keyFile(display: number): string;
  /** The file with the size of a display, such as "1280x720". */
  sizeFile(display: number): string;
  /** The owner of a display. @throws {Error} when there is no such display. */
  owner(display: number): Promise<number>;
  /** The compiled lib/display/capture/wasm/pixels.ts. */
  pixels: WebAssembly.Module;
  /** Gets the counts of each filmed display, and of no other display. */
  frames: Map<number, FrameCounts>;
  /** Makes what sees all pictures of a display. */
  watch(display: number, frames: FrameCounts): PictureWatcher;
}

/** Films until `signal` aborts. @throws {Error} when the folders cannot be watched. */
export async function runCapture(parts: CaptureParts, signal: AbortSignal): Promise<void> {
  const filmed = new Map<number, DisplaySockets>();
  const stopping = new Set<Promise<void>>();
  using watcher = Deno.watchFs(parts.foldersDir, { recursive: false });
  signal.addEventListener("abort", () => watcher.close(), { once: true });
  await follow(parts, filmed, stopping);
  for await (const _event of watcher) await follow(parts, filmed, stopping);
  for (const sockets of filmed.values()) stopping.add(sockets.stop());
  await Promise.all(stopping);
}

/** Listens for the present displays, and for no others. */
async function follow(
  parts: CaptureParts,
  filmed: Map<number, DisplaySockets>,
  stopping: Set<Promise<void>>,
): Promise<void> {
  const found = new Map<number, Deno.FileInfo>();
  for await (const { name } of Deno.readDir(parts.foldersDir)) {
    const info = await Deno.lstat(join(parts.foldersDir, name)).catch(() => null);
    if (/^\d{1,5}$/.test(name) && info?.isDirectory && isReady(info)) found.set(Number(name), info);
  }
  for (const [display, sockets] of filmed) {
    // a folder that replaced another folder has no sockets yet
    if (found.has(display) && await hasSockets(join(parts.foldersDir, String(display)))) continue;
    filmed.delete(display);
    parts.frames.delete(display);
    // not awaited: a display that hangs must not keep the others waiting
    const stopped = sockets.stop().finally(() => stopping.delete(stopped));
    stopping.add(stopped);
  }
  for (const [display, info] of found) {
    if (filmed.has(display)) continue;
    try {
      const sockets = listen(parts, display, info);
      filmed.set(display, sockets);
      parts.frames.set(display, sockets.frames);
    } catch (error) {
      log("warn", "a display cannot be filmed", { display, error: errorText(error) });
    }
  }
}

/** Whether a folder has its owner and group: the bit that gives sockets its group is set last. */
function isReady({ mode }: Deno.FileInfo): boolean {
  const SETGID = 0o2000;
  return ((mode ?? 0) & SETGID) !== 0;
}

function listen(
  { foldersDir, keyFile, sizeFile, owner, pixels, watch }: CaptureParts,
  display: number,
  info: Deno.FileInfo,
) {
  const group = info.gid ?? Deno.gid()!;
  const isOurs = group === Deno.gid();
  const openScreen = async () =>
    await Screen.open(
      await ownedSocket(display, await owner(display)),
      await readCookie(keyFile(display)),
      parseSize((await Deno.readTextFile(sizeFile(display))).trim()),
    );
  const folder = join(foldersDir, String(display));
  // the sockets get the folder's group, which is one user's
  const parts = { display, pixels, openScreen, watch: (frames: FrameCounts) => watch(display, frames) };
  return new DisplaySockets(parts, folder, isOurs ? 0o600 : 0o660);
}
