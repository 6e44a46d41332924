/** The service's log: one JSON object a line on stdout. */
const LEVELS = ["debug", "info", "warn", "error"] as const;
export type Level = typeof LEVELS[number];

let least: Level = "info";

/** Drops entries below `level` from now on. */
export function setLogLevel(level: Level): void {
  least = level;
}

/** Writes one entry. `fields` never hold a password or a token: nothing is masked here. */
export function log(level: Level, message: string, fields: Record<string, unknown> = {}): void {
  if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
  console.log(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }));
}

/** An unknown thrown value as a short text. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
