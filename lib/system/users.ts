/** System users, and what they can reach. */
import { dirname } from "node:path";
import type { Identity } from "./handover.ts";
import { run } from "./process.ts";

/** A user of /etc/passwd, or null. */
export async function findUser(name: string): Promise<Identity | null> {
  for (const line of (await Deno.readTextFile("/etc/passwd")).split("\n")) {
    const [login, , uid, gid] = line.split(":");
    if (login === name) return { name, uid: Number(uid), gid: Number(gid) };
  }
  return null;
}

/** The user this process runs as. */
export async function currentUser(): Promise<Identity> {
  const uid = Deno.uid()!;
  for (const line of (await Deno.readTextFile("/etc/passwd")).split("\n")) {
    const [name, , id, gid] = line.split(":");
    if (Number(id) === uid) return { name, uid, gid: Number(gid) };
  }
  return { name: String(uid), uid, gid: Deno.gid()! };
}

/**
 * The user the pipeline runs as: PIPELINE_USER (made if missing) when we are root, else ourselves.
 * @throws {Error} when it is missing and cannot be made.
 */
export async function pipelineUser(name: string, create = false): Promise<Identity> {
  if (Deno.uid() !== 0) return await currentUser();
  const found = await findUser(name);
  if (found?.uid === 0) throw new Error(`PIPELINE_USER=${name} is root: choose another user`);
  if (found) return found;
  if (!create) throw new Error(`user ${name} does not exist`);
  const home = "/var/lib/browser-stream";
  const argv = [
    "useradd",
    "--system",
    "--user-group",
    "--home-dir",
    home,
    "--shell",
    "/usr/sbin/nologin",
    name,
  ];
  const result = await run(argv, { timeout: 20_000 });
  const made = await findUser(name);
  if (!made) throw new Error(`user ${name} could not be made: ${result.stderr.trim()}`);
  return made;
}

/** Whether `user` may walk into `path` (search permission on it and all above it). Missing parts count as walkable. */
export async function canReach(user: Identity, path: string): Promise<boolean> {
  for (let at = path;; at = dirname(at)) {
    const info = await Deno.stat(at).catch(() => null);
    if (info) {
      const mode = info.mode ?? 0;
      const bit = info.uid === user.uid ? 0o100 : info.gid === user.gid ? 0o010 : 0o001;
      if (user.uid !== 0 && (mode & bit) === 0) return false;
    }
    if (at === dirname(at)) return true;
  }
}
