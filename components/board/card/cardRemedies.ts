import { type Remedy, TROUBLES } from "../../../lib/model/answers/page_health.ts";
import type { PublicStream, StreamFields } from "../../../lib/model/schema.ts";
import { duration } from "../boardState.ts";
import type { OpenDialog } from "../openDialog.ts";
import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";

/** The remedies that open a dialog on the board, and the words of their buttons. */
export const REMEDY_WORDS: Readonly<Partial<Record<Remedy, string>>> = {
  address: "Edit address",
  login: "Set login",
  memory: "Raise limit",
  quality: "Edit picture",
  proxy: "Edit proxy",
  site: "Edit sites",
  certificate: "Accept certificate…",
};

/** The field of the form that a remedy changes. */
const FIELDS: ReadonlyMap<string, keyof StreamFields> = new Map(
  [
    ["address", "url"],
    ["login", "user"],
    ["memory", "memoryLimitMb"],
    ["quality", "fps"],
    ["proxy", "proxy"],
    ["site", "sites"],
  ] as const,
);

/** The dialog that a remedy opens; null: it opens none. */
export function remedyDialog(
  remedy: string | null,
  stream: PublicStream,
  { trouble, page }: StreamStatus,
): OpenDialog | null {
  const field = FIELDS.get(remedy ?? "");
  if (field) return { kind: "edit", stream, field };
  if (remedy !== "certificate" || !page?.certificate) return null;
  const { certificate } = page;
  return { kind: "certificate", stream, certificate, isOther: trouble === "certificate-changed" };
}

/**
 * The remedies that a card offers: at most three, the best first. The log is always one of them, except for most pages
 * that may be right as they are: no log mentions such a page, and the card has no room for more than two.
 */
export function remediesOf({ trouble, page }: StreamStatus): Remedy[] {
  const offered: readonly Remedy[] = trouble ? TROUBLES[trouble].remedies : ["log", "restart"];
  const possible = offered.filter((remedy) =>
    (remedy !== "certificate" || page?.certificate) && (remedy !== "status" || (page?.status ?? 0) >= 400)
  );
  if (possible.includes("status")) return possible.slice(0, 2);
  return possible.includes("log") ? possible : [...possible.slice(0, 2), "log"];
}

/** When the page is opened again, in words; empty when no time is set. @param now Unix ms, on the service's machine. */
export function nextTry({ trouble, page }: StreamStatus, now: number): string {
  if (!page || page.nextTryAt === null || trouble !== page.state) return "";
  const seconds = (page.nextTryAt - now) / 1000;
  return seconds < 1 ? "Trying again now" : `Next try in ${duration(seconds)}`;
}
