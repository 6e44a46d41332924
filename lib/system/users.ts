/** System users, and what they can reach. */
import { dirname } from "node:path";
import type { Identity } from "./exec.ts";
import { run } from "./process.ts";

/** The users of /etc/passwd. */
async function allUsers(): Promise<Identity[]> {
  return (await Deno.readTextFile("/etc/passwd")).split("\n").map((line) => {
    const [name, , uid, gid] = line.split(":");
    return { name, uid: Number(uid), gid: Number(gid) };
  });
}

/** A user of /etc/passwd, or null. */
export async function findUser(name: string): Promise<Identity | null> {
  return (await allUsers()).find((user) => user.name === name) ?? null;
}

/** The user this process runs as. */
export async function currentUser(): Promise<Identity> {
  const uid = Deno.uid()!;
  const known = (await allUsers()).find((user) => user.name !== "" && user.uid === uid);
  return known ?? { name: String(uid), uid, gid: Deno.gid()! };
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
  const result = await run(argv, { timeoutMs: 20_000 });
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
