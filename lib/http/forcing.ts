/** Whether a request wants what would be refused for want of room, by `?force=true`: only these words say it. */
export function forcing(url: URL): { isForced: boolean } {
  return { isForced: ["true", "1"].includes(url.searchParams.get("force") ?? "") };
}
