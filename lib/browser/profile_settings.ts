/**
 * Settings in a stream's browser profile, written before each start: neither flags nor the machine's policies can set
 * them for one browser alone. Tried with Chromium 156 (docs/decisions/browser-pages.md).
 */
import { join } from "node:path";
import { ensureFolder, readOrNull, writeFileAtomic } from "../machine/os/files.ts";
import { languagesOf } from "../model/page_settings.ts";
import type { StreamFields } from "../model/schema.ts";

type Json = { [name: string]: unknown };

/** The object in a file of Chromium's; an empty object for a broken file, as in Chromium itself. */
async function readSettings(path: string): Promise<Json> {
  try {
    const value = JSON.parse(await readOrNull(path) ?? "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

/** Sets a value at "group.name"; all other values stay. */
async function set(path: string, place: string, value: unknown): Promise<void> {
  const settings = await readSettings(path);
  const names = place.split(".");
  const last = names.pop()!;
  let group = settings;
  for (const name of names) group = group[name] = { ...Object(group[name]) } as Json;
  group[last] = value;
  await writeFileAtomic(path, JSON.stringify(settings), 0o600);
}

/** Writes the settings of a browser that is about to start. @param hasProxyLogin whether proxies get a login. */
export async function writeProfileSettings(
  profile: string,
  { user, pass, acceptedCertificates, language }: Pick<
    StreamFields,
    "user" | "pass" | "acceptedCertificates" | "language"
  >,
  hasProxyLogin = false,
): Promise<void> {
  await ensureFolder(join(profile, "Default"), 0o700);
  // a browser without a way to log in shows the server's 401 page, and no dialog that viewers would see
  const schemes = user || pass || hasProxyLogin ? "basic,digest,ntlm" : "none";
  await set(join(profile, "Local State"), "auth.schemes", schemes);
  // without accepted certificates no person can go on from the warning, not even by VNC
  const isAllowed = acceptedCertificates !== "";
  const preferences = join(profile, "Default", "Preferences");
  await set(preferences, "ssl.error_override_allowed", isAllowed);
  // a page that prints would put a dialog on the air, where no policy says otherwise
  await set(preferences, "printing.enabled", false);
  // F7, where no window manager catches it (templates/openbox.xml), puts a question or a cursor over all pages
  await set(preferences, "settings.a11y.caretbrowsing", { show_dialog: false, enabled: false });
  // the languages for servers and pages; an empty text means Chromium's own
  const languages = languagesOf(language).join(",");
  await set(preferences, "intl.accept_languages", languages || undefined);
  await set(preferences, "intl.selected_languages", languages || undefined);
}
