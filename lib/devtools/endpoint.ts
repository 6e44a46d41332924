/**
 * Where a stream's browser listens for DevTools, and that it is really this browser who does: while one restarts,
 * another user of the machine, or another stream, could take its port and be told passwords.
 */
import { join } from "node:path";
import { openRegular, readRange } from "../system/regular_file.ts";
import { hasSocket, listenersOn } from "../system/ports.ts";

/** Bytes of Chromium's own file, which holds the port and the path of its browser target. */
const MAX_FILE = 1024;

async function firstLine(path: string): Promise<string> {
  using file = await openRegular(path);
  if (!file) throw new Error("the browser has no DevTools port yet");
  return new TextDecoder().decode(await readRange(file, 0, MAX_FILE)).split("\n")[0];
}

/** The main process of the browser with this profile, as its lock says: a link to "host-pid". */
async function browserPid(profile: string): Promise<number> {
  const lock = await Deno.readLink(join(profile, "SingletonLock")).catch(() => "");
  const pid = Number(/-([1-9]\d{0,9})$/.exec(lock)?.[1]);
  if (!pid) throw new Error("the browser does not run");
  return pid;
}

/**
 * The DevTools port of the browser with this profile. The one listener there is the browser's own process, which runs
 * as the owner of the profile.
 * @throws {Error} when the browser does not run, or somebody else has the port.
 */
export async function devtoolsPort(profile: string): Promise<number> {
  const { uid } = await Deno.lstat(profile);
  const port = Number(await firstLine(join(profile, "DevToolsActivePort")));
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    throw new Error("the browser has no DevTools port");
  }
  const pid = await browserPid(profile);
  const listeners = await listenersOn(port);
  const [listener] = listeners;
  const isItsOwn = listeners.length === 1 && listener.address === "127.0.0.1" && listener.uid === uid &&
    await isSocketOf(pid, listener.inode, uid);
  if (!isItsOwn) throw new Error(`port ${port} is not the browser's`);
  return port;
}

async function isSocketOf(pid: number, inode: string, uid: number): Promise<boolean> {
  const owner = await Deno.stat(`/proc/${pid}`).then((info) => info.uid, () => null);
  if (owner !== uid) return false;
  // nobody but root sees the descriptors of another user's processes; a stream's own user has no others
  return await hasSocket(pid, inode) ?? uid !== Deno.uid();
}
