/** The states that receivers know, their waiting messages, and the incidents, on disk: a restart sends none twice. */
import * as z from "zod";
import { readOrNull, removeTemporaryFiles, writeFileAtomic } from "../machine/os/files.ts";
import { incident } from "../model/answers/shapes.ts";
import { MESSAGE_KINDS } from "../model/receivers.ts";
import { errorText, log } from "../machine/tools/log.ts";

const waiting = z.object({
  id: z.string(),
  event: z.enum([
    ...["stream.degraded", "stream.failed", "stream.recovered"] as const,
    ...["disk.full", "disk.recovered", "summary"] as const,
  ]),
  kind: z.enum(MESSAGE_KINDS).optional(),
  at: z.number(),
  stream: z.object({ id: z.string(), name: z.string() }).nullable(),
  state: z.enum(["running", "degraded", "failed"]).nullable(),
  reason: z.string(),
  downSince: z.number().nullable(),
  link: z.string(),
  pastLink: z.string().optional(),
  tries: z.number(),
  /** The receiver's id; "": the receiver of the variables. */
  receiver: z.string().default(""),
  /** Whether it came in the receiver's quiet hours. */
  isQuiet: z.boolean().default(false),
});

const content = z.object({
  /** The streams, by id, and the disks that are not well. */
  told: z.record(
    z.string(),
    z.object({
      told: z.enum(["degraded", "failed"]),
      downSince: z.number(),
      returns: z.number(),
    }),
  ),
  waiting: z.array(waiting),
  incidents: z.array(incident.extend({
    key: z.string(),
    // an earlier version kept none
    state: incident.shape.state.default("failed"),
  })).default([]),
});

const EMPTY: z.output<typeof content> = { told: {}, waiting: [], incidents: [] };

/** A message with the tries it had. */
export type Waiting = z.output<typeof waiting>;
/** An incident, with the key of its stream or of the machine. */
export type KnownIncident = MessagesFile["incidents"][number];
export type MessagesFile = z.output<typeof content>;

/** The file's content; an unreadable file counts as empty, which costs a message too many at most. */
export async function readMessagesFile(path: string): Promise<MessagesFile> {
  await removeTemporaryFiles(path);
  try {
    return content.parse(JSON.parse(await readOrNull(path) ?? JSON.stringify(EMPTY)));
  } catch {
    log("warn", "the record of sent messages cannot be read: a new one begins", { path });
    return structuredClone(EMPTY);
  }
}

export async function writeMessagesFile(path: string, file: MessagesFile): Promise<void> {
  await writeFileAtomic(path, JSON.stringify(file) + "\n", 0o600).catch((error) =>
    log("warn", "the record of sent messages was not stored", { error: errorText(error) })
  );
}
