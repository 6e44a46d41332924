/** How long HLS files may be kept by players and caches (the specification's HLS proxy rules). */
export function hlsCacheControl(path: string): string {
  if (path.endsWith(".ts")) return "max-age=300, immutable";
  return "no-cache, no-store";
}
