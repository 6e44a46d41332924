/**
 * Who may publish: an encoder, to its own channel. Each has a key, made from a secret of this run, which the media server
 * makes again and compares (secure_link of nginx). The key is in no command line, which every user could read.
 */
import { createHash, randomBytes } from "node:crypto";
import type { StreamId } from "../../model/id.ts";
import { readOrNull, writeFileAtomic } from "../../machine/os/files.ts";

/** Letters and digits: it stands in nginx.conf. */
export function newPublishSecret(): string {
  return randomBytes(32).toString("hex");
}

/** @throws {Error} when the service was not started. */
export async function readPublishSecret(file: string): Promise<string> {
  const secret = await readOrNull(file);
  if (secret === null) throw new Error("there is no key to the media server");
  return secret;
}

/** As nginx calculates it: http://nginx.org/en/docs/http/ngx_http_secure_link_module.html#secure_link_md5 */
export function publishKey(secret: string, id: StreamId): string {
  // the secret is last: so nobody can calculate the key of a longer name
  return createHash("md5").update(`${id} ${secret}`).digest("base64url");
}

/** Writes what tells ffmpeg to publish with a key. Source: https://ffmpeg.org/ffmpeg.html#Preset-files */
export async function writePublishPreset(file: string, id: StreamId, key: string): Promise<void> {
  await writeFileAtomic(file, `rtmp_playpath=${id}?key=${key}\n`, 0o600);
}
