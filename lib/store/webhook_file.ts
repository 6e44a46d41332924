/** The states that the webhook's receiver knows, and its waiting messages, on disk: a restart sends none twice. */
import * as z from "zod";
import { readOrNull, removeTemporaryFiles, writeFileAtomic } from "../os/files.ts";
import { errorText, log } from "../system/log.ts";

const waiting = z.object({
  id: z.string(),
  event: z.enum(["stream.degraded", "stream.failed", "stream.recovered"]),
  at: z.number(),
  stream: z.object({ id: z.string(), name: z.string() }),
  state: z.enum(["running", "degraded", "failed"]),
  reason: z.string(),
  downSince: z.number(),
  link: z.string(),
  tries: z.number(),
});

const content = z.object({
  /** The degraded and failed streams, by id. */
  told: z.record(
    z.string(),
    z.object({
      told: z.enum(["degraded", "failed"]),
      downSince: z.number(),
      returns: z.number(),
    }),
  ),
  waiting: z.array(waiting),
});

/** A message with the tries it had. */
export type Waiting = z.output<typeof waiting>;
export type WebhookFile = z.output<typeof content>;

/** The file's content; an unreadable file counts as empty, which costs a message too many at most. */
export async function readWebhookFile(path: string): Promise<WebhookFile> {
  await removeTemporaryFiles(path);
  try {
    return content.parse(JSON.parse(await readOrNull(path) ?? '{"told":{},"waiting":[]}'));
  } catch {
    log("warn", "what the webhook's receiver was told cannot be read: it begins anew", { path });
    return { told: {}, waiting: [] };
  }
}

export async function writeWebhookFile(path: string, file: WebhookFile): Promise<void> {
  await writeFileAtomic(path, JSON.stringify(file) + "\n", 0o600).catch((error) =>
    log("warn", "what the webhook's receiver was told was not stored", { error: errorText(error) })
  );
}
