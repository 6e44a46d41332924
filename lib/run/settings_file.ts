/** The settings of the installed service, which systemd reads from a file. */
import { readOrNull } from "../machine/os/files.ts";

/** Environment variables, one a line. systemd.exec(5), EnvironmentFile= */
export const SETTINGS_FILE = "/etc/browser-stream/environment";

/** The data of the installed service, as in the unit, unless the settings name another folder. */
export const INSTALLED_DATA_DIR = "/var/lib/browser-stream";

/** The user of its web app, as in the unit, unless the settings name another user. */
export const INSTALLED_USER = "browser-stream";

/** The variables of such a file: comments, quotes and backslashes as systemd reads them. Pure. */
export function parseSettings(text: string): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const line of text.replaceAll("\\\n", "").split("\n")) {
    const [, name, value] = /^\s*(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) settings[name] = unquoted(value.trim());
  }
  return settings;
}

function unquoted(value: string): string {
  const [, single] = /^'(.*)'$/s.exec(value) ?? [];
  if (single !== undefined) return single;
  const [, double] = /^"(.*)"$/s.exec(value) ?? [];
  return (double ?? value).replace(/\\(.)/g, "$1");
}

/**
 * The environment of a command that a person types: the installed service's settings, and the person's own variables. A
 * person without the right to read the file has only the latter.
 */
export async function withSettingsFile(
  own: Record<string, string>,
  file = SETTINGS_FILE,
): Promise<Record<string, string>> {
  const text = await readOrNull(file).catch(() => null);
  // a given DATA_DIR belongs to another service, with other ports and another login
  return text === null || own.DATA_DIR
    ? own
    : { DATA_DIR: INSTALLED_DATA_DIR, WEB_USER: INSTALLED_USER, ...parseSettings(text), ...own };
}
