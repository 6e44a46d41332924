/** What a stream's settings ask of its programs. Pure, and light: forms use it to say what a change restarts. */
import type { ProgramKind } from "../supervisor/program_files.ts";
import type { StreamFields } from "./schema.ts";

/** Which programs a field's change concerns; a field that is not here restarts nothing. */
const CONCERNED: Partial<Record<keyof StreamFields, ProgramKind[]>> = {
  resolution: ["display", "wm", "browser", "encoder"],
  url: ["browser", "autologin"],
  gpu: ["browser"],
  // the browser paints at the encoder's pace
  fps: ["browser", "encoder"],
  scale: ["encoder"],
  bitrate: ["encoder"],
  bufsize: ["encoder"],
  preset: ["encoder"],
  tune: ["encoder"],
  gop: ["encoder"],
  threads: ["encoder"],
  audio: ["encoder"],
  user: ["autologin"],
  pass: ["autologin"],
  autoReload: ["autoreload"],
  autoReloadInterval: ["autoreload"],
};

/** The programs that have to restart for a running stream's change to show. */
export function programsToRestart(before: StreamFields, after: StreamFields): ProgramKind[] {
  const kinds = new Set<ProgramKind>();
  for (const field of Object.keys(CONCERNED) as (keyof StreamFields)[]) {
    if (before[field] !== after[field]) CONCERNED[field]!.forEach((kind) => kinds.add(kind));
  }
  return [...kinds];
}

/** The helpers a stream wants to run. */
export function wantedHelpers(stream: StreamFields): ProgramKind[] {
  const helpers: ProgramKind[] = [];
  if (stream.user !== "" || stream.pass !== "") helpers.push("autologin");
  if (stream.autoReload) helpers.push("autoreload");
  return helpers;
}
