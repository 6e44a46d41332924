/** The effect of saving a form on a running stream, shown before the form is saved. Pure. */
import { affectedPrograms, wantedHelpers } from "../../lib/model/programs.ts";
import type { PublicStream, StreamFields } from "../../lib/model/schema.ts";
import { SECRET_FIELDS, type SecretField, setName } from "../../lib/model/secrets.ts";
import type { Draft, Normalize } from "./draft.ts";

/** The placeholder of a stored secret, which the page never gets. */
const STORED = "\0stored";

type Secrets = Record<SecretField, string>;

/** The sentences for people; `changes` are a form's changed fields, "" while there are none. */
export function restartPreview(base: PublicStream, changes: Draft, normalize: Normalize): string {
  const fields = Object.entries(changes);
  if (fields.length === 0) return "";
  if (base.desiredState === "stopped") return "The stream is stopped: there is nothing to restart.";
  const before: StreamFields = {
    ...base,
    ...Object.fromEntries(
      SECRET_FIELDS.map((field) => [field, base[setName(field)] ? STORED : ""]),
    ) as Secrets,
  };
  const after: StreamFields = {
    ...before,
    ...Object.fromEntries(fields.map(([field, value]) => [field, normalize(field, value)])),
  };
  const kinds: string[] = affectedPrograms(before, after);
  const pipeline = ["display", "browser", "encoder"].filter((kind) => kinds.includes(kind));
  const [had, has]: string[][] = [wantedHelpers(before), wantedHelpers(after)];
  const helpers = kinds.filter((kind) => had.includes(kind) || has.includes(kind)).flatMap((kind) =>
    HELPERS[kind]?.[had.includes(kind) ? (has.includes(kind) ? "again" : "off") : "on"] ?? []
  );
  if (pipeline.length === 0 && helpers.length === 0) return "Nothing restarts.";
  return [pipeline.length > 0 ? gap(pipeline) : "Viewers notice nothing.", ...helpers].join(" ");
}

function gap(pipeline: string[]): string {
  const names = pipeline.map((kind) => `the ${kind}`);
  const list = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  const seen = pipeline.includes("encoder")
    ? "a gap of some seconds" + (pipeline.includes("browser") ? ", then the page opened again" : "")
    : "the page being opened again";
  return `Saving restarts ${list}: viewers see ${seen}.`;
}

const HELPERS: Record<string, { on: string; off: string; again: string }> = {
  autologin: {
    on: "Signing in on the page is switched on.",
    off: "Signing in on the page is switched off.",
    again: "Signing in on the page is tried again.",
  },
  autoreload: {
    on: "Regular reloads begin.",
    off: "Regular reloads end.",
    again: "The wait for the next reload begins again.",
  },
};
