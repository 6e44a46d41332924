/**
 * What a request wants that may be refused for want of room. `?force=true`: it is done all the same. `?wait=true`: it is done when
 * there is room. Only these words say it.
 */
export function forcing(url: URL): { isForced: boolean; isPatient: boolean } {
  const isSet = (name: string) => ["true", "1"].includes(url.searchParams.get(name) ?? "");
  return { isForced: isSet("force"), isPatient: isSet("wait") };
}
