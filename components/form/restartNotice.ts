/** What saving a form does to a running stream, said before it is saved. Pure. */
import { affectedPrograms, wantedHelpers } from "../../lib/streams/programs.ts";
import type { PublicStream, StreamFields } from "../../lib/streams/schema.ts";
import type { Draft, Normal } from "./streamDraft.ts";

/** Stands for the password that is stored, which nobody is told. */
const STORED = "\0stored";

/** The sentences for people; `changes` are a form's changed fields, "" while there are none. */
export function restartNotice(base: PublicStream, changes: Draft, normal: Normal): string {
  const fields = Object.entries(changes);
  if (fields.length === 0) return "";
  if (base.desiredState === "stopped") return "The stream is stopped: there is nothing to restart.";
  const before: StreamFields = { ...base, pass: base.passSet ? STORED : "" };
  const after: StreamFields = {
    ...before,
    ...Object.fromEntries(fields.map(([field, value]) => [field, normal(field, value)])),
  };
  const kinds: string[] = affectedPrograms(before, after);
  const channel = ["display", "browser", "encoder"].filter((kind) => kinds.includes(kind));
  const [had, has]: string[][] = [wantedHelpers(before), wantedHelpers(after)];
  const helpers = kinds.filter((kind) => had.includes(kind) || has.includes(kind)).flatMap((kind) =>
    HELPERS[kind]?.[had.includes(kind) ? (has.includes(kind) ? "anew" : "off") : "on"] ?? []
  );
  if (channel.length === 0 && helpers.length === 0) return "Nothing restarts.";
  return [channel.length > 0 ? gap(channel) : "Viewers notice nothing.", ...helpers].join(" ");
}

function gap(channel: string[]): string {
  const names = channel.map((kind) => `the ${kind}`);
  const list = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  const seen = channel.includes("encoder")
    ? "a gap of some seconds" + (channel.includes("browser") ? ", then the page freshly opened" : "")
    : "the page being opened anew";
  return `Saving restarts ${list}: viewers see ${seen}.`;
}

const HELPERS: Record<string, { on: string; off: string; anew: string }> = {
  autologin: {
    on: "Signing in on the page is switched on.",
    off: "Signing in on the page is switched off.",
    anew: "Signing in on the page is tried anew.",
  },
  autoreload: {
    on: "Regular reloads begin.",
    off: "Regular reloads end.",
    anew: "The wait for the next reload begins anew.",
  },
};
