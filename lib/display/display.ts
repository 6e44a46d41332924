/** The virtual display: Xvnc, X server and VNC server in one process. */
import { MAX_PASTE_BYTES } from "../model/paste.ts";
import { parseSize } from "../model/schema.ts";
import type { Runner } from "../machine/os/process.ts";
import { type Paths, slotPaths } from "../paths.ts";
import { abstractListener, isAbstractHeld } from "../machine/os/abstract_socket.ts";
import { displaySocket, type StreamSpec } from "../live/programs/commands/spec.ts";
import { openRegular, readRange } from "../machine/os/regular_file.ts";
import { setAside } from "../machine/os/take_place.ts";
import { sleep, withTimeout } from "../machine/tools/time.ts";

/** The part of a spec that makes a display. */
interface ScreenSpec extends Pick<StreamSpec, "display"> {
  stream: Pick<StreamSpec["stream"], "resolution">;
}

/** Displays that the service may have at once: no machine runs so many streams. */
export const DISPLAYS = 500;

/** Frames per second a VNC viewer gets at most: costs 14 % of a core at 12, 68 % at Xvnc's default of 60. */
const VNC_FRAME_RATE = 15;

/**
 * Xvnc's command line. VNC listens on a unix socket only, for its user and group: there is no VNC port at all. The group
 * is the folder's, the VNC proxy's.
 */
export function displayCommand(spec: ScreenSpec, vncSocket: string, xauthority: string): string[] {
  const { width, height } = parseSize(spec.stream.resolution);
  return [
    "/usr/bin/Xvnc",
    `:${spec.display}`,
    "-geometry",
    `${width}x${height}`,
    "-auth",
    xauthority,
    "-depth",
    "24",
    "-rfbport",
    "-1",
    "-rfbunixpath",
    vncSocket,
    "-rfbunixmode",
    "0660",
    "-SecurityTypes",
    "None",
    // aborted handshakes would lock all clients out: they come from one address
    "-UseBlacklist=0",
    "-AlwaysShared=1",
    "-AcceptSetDesktopSize=0",
    // otherwise a selected text, not only a copied text, would replace the viewer's clipboard
    "-SendPrimary=0",
    `-MaxCutText=${MAX_PASTE_BYTES}`,
    `-FrameRate=${VNC_FRAME_RATE}`,
    "-nolisten",
    "tcp",
    "-noreset",
  ];
}

/** Milliseconds that the kernel gets to connect: we would wait for ever for a server that accepts nothing. */
const CONNECT_MS = 1000;

/**
 * Whether an X server answers on this display. @param uid of the user that must have it; any user when absent. Every
 * user may make the sockets of a display that is not up yet, and a client that connects there sends the display's key.
 */
export async function isDisplayUp(display: number, uid?: number): Promise<boolean> {
  try {
    const path = displaySocket(display);
    const info = await Deno.lstat(path);
    if (!info.isSocket || (uid !== undefined && info.uid !== uid)) return false;
    // X clients ask for this abstract socket first
    if (uid !== undefined && abstractListener(path) !== uid) return false;
    const connection = await withTimeout(CONNECT_MS, Deno.connect({ transport: "unix", path }));
    connection.close();
    return true;
  } catch {
    return false;
  }
}

/** Whether any user has a display, with an X server or without. */
async function isDisplayHeld(display: number): Promise<boolean> {
  return await isDisplayUp(display) || isAbstractHeld(displaySocket(display));
}

/**
 * Whether another user has a file or socket of this user's display: its X server cannot start then, or X clients find
 * the other user's server.
 */
export async function isAnothersDisplay(display: number, uid: number): Promise<boolean> {
  const socket = displaySocket(display);
  if (abstractListener(socket) !== uid && isAbstractHeld(socket)) return true;
  return await hasDisplayFile(display, (info) => info.uid !== uid);
}

/**
 * Whether a folder that stays is in the place of an X server's file: every user may make folders there, and root alone
 * sets them aside. @param preparer the user that removes stale files before an X server starts.
 */
function isDisplayBlocked(display: number, preparer: number): Promise<boolean> {
  return hasDisplayFile(display, ({ isDirectory, uid }) => isDirectory && (preparer !== 0 || uid === 0));
}

async function hasDisplayFile(display: number, isIt: (info: Deno.FileInfo) => boolean): Promise<boolean> {
  const files = await Promise.all(displayFiles(display).map((path) => Deno.lstat(path).catch(() => null)));
  return files.some((info) => info !== null && isIt(info));
}

/** The owner of a display, as root has noted. @throws {Error} when there is no such display. */
export async function displayOwner(paths: Pick<Paths, "slotsDir">, display: number): Promise<number> {
  const { uid } = await Deno.lstat(slotPaths(paths, display).folder);
  return uid ?? Deno.uid()!;
}

/**
 * The socket of a display for one of our own clients. In its folder no user can replace the socket of another user.
 * @throws {Error} when there is no socket, or it is another user's.
 */
export async function ownedSocket(display: number, uid: number): Promise<string> {
  const path = displaySocket(display);
  const info = await Deno.lstat(path).catch(() => null);
  if (!info?.isSocket) throw new Error(`display :${display} is not up`);
  if (info.uid !== uid) throw new Error(`display :${display} is another user's`);
  return path;
}

/**
 * The process that a display's lock names, or null. Every user can make the lock: a pipe would never end, and a huge
 * file would fill our memory.
 */
export async function lockOwner(lock: string): Promise<number | null> {
  const pid = Number(await readLock(lock).catch(() => NaN));
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

async function readLock(lock: string): Promise<string> {
  using file = openRegular(lock);
  const LOCK_BYTES = 16; // Xvnc writes 11
  return file ? new TextDecoder().decode(await readRange(file, 0, LOCK_BYTES)) : "";
}

/** The lock of a display. */
export function displayLock(display: number): string {
  return `/tmp/.X${display}-lock`;
}

/**
 * Whether no other X server has the display. A lock counts if the process that it names runs, and is of the user that
 * made the lock: otherwise a user could block all displays with locks.
 * @param preparer the user that calls `removeStaleDisplay` for it.
 */
export async function isDisplayFree(display: number, preparer = Deno.uid()!): Promise<boolean> {
  if (await isDisplayHeld(display) || await isDisplayBlocked(display, preparer)) return false;
  const lock = displayLock(display);
  const pid = await lockOwner(lock);
  if (pid === null) return true;
  const [file, process] = await Promise.all(
    [lock, `/proc/${pid}`].map((path) => Deno.lstat(path).catch(() => null)),
  );
  return process === null || process.uid !== file?.uid;
}

/**
 * The keyboard map that an X server has made for itself. A server that is killed just then leaves the file, and no
 * server of another user could start on this display again: it may not overwrite the file.
 */
export function displayKeymap(display: number): string {
  return `/tmp/server-${display}.xkm`;
}

/** The files of an X server for its display; every user may make them first. */
function displayFiles(display: number): string[] {
  return [displayLock(display), displaySocket(display), displayKeymap(display)];
}

/**
 * Removes lock, socket and keyboard map that an X server leaves behind when it is killed; a living server's stay. A folder
 * is no leftover, and is not removed with its content: root sets another user's aside.
 */
export async function removeStaleDisplay(display: number): Promise<void> {
  if (await isDisplayUp(display)) return;
  for (const path of displayFiles(display)) {
    const isFolder = (await Deno.lstat(path).catch(() => null))?.isDirectory;
    await (isFolder ? setAside(path) : Deno.remove(path)).catch(() => {});
  }
}

/** Waits until the display of this process's user accepts connections. @throws {Error} after 15 s, with its owner. */
export async function waitForDisplay(display: number): Promise<void> {
  const uid = Deno.uid()!;
  for (const deadline = performance.now() + 15_000; performance.now() < deadline;) {
    if (await isDisplayUp(display, uid)) return;
    await sleep(40);
  }
  throw new Error(
    await isDisplayHeld(display)
      ? `display :${display} is another user's: nothing of this stream is shown there`
      : `display :${display} is not up after 15 s`,
  );
}

/**
 * Gives the display the refresh rate of the encoder: Chromium paints at that pace, so an animated page costs half.
 * A display that refuses keeps its 60 Hz and still works.
 */
export async function setRefreshRate(
  spec: StreamSpec,
  run: Runner,
  env: Record<string, string>,
): Promise<void> {
  const { width, height } = parseSize(spec.stream.resolution);
  const { fps } = spec.stream;
  const mode = `fps-${fps}`;
  const pixelClock = (width * height * fps / 1e6).toFixed(2);
  const xrandr = (...args: string[]) =>
    run(["/usr/bin/xrandr", "-d", `:${spec.display}`, ...args], { timeoutMs: 5000, env });
  const w = String(width), h = String(height);
  await xrandr("--newmode", mode, pixelClock, w, w, w, w, h, h, h, h);
  await xrandr("--addmode", "VNC-0", mode);
  const { code, stderr } = await xrandr("--output", "VNC-0", "--mode", mode);
  if (code !== 0) console.error(`refresh rate of ${fps} Hz not set: ${stderr.trim()}`);
}
