/** The playlist's address, and whether other devices can use it. Pure. */

/** The service's address as the service knows it; the playlist's own addresses begin with it. */
export interface PublicAddress {
  origin: string;
  /** Whether the operator chose the address (PUBLIC_URL). */
  isSet: boolean;
  /** Whether apps, which cannot log in, need an address with an access token. */
  needsToken: boolean;
}

export interface PlaylistChoice {
  /** "": all groups. */
  group: string;
  /** Whether the list leaves the stopped streams out. */
  isRunning: boolean;
}

export function playlistAddress(origin: string, { group, isRunning }: PlaylistChoice): string {
  const url = new URL("/playlist.m3u", origin);
  if (group) url.searchParams.set("group", group);
  if (isRunning) url.searchParams.set("running", "1");
  return url.href;
}

export function guideAddress(origin: string): string {
  return new URL("/epg.xml", origin).href;
}

/** @param base the beginning of all addresses: the origin, and the prefix of an access token, if there is one. */
export function tunerAddress(base: string): string {
  return `${base}/hdhr`;
}

/** The groups of the choice: the playlist takes "Walls" and "walls" for one group. */
export function groupChoices(groups: readonly string[]): string[] {
  const folded = groups.map((group) => group.toLowerCase());
  return groups.filter((_, at) => folded.indexOf(folded[at]) === at);
}

/**
 * The reason why other devices cannot use the address, for people; "": they can.
 * @param here the origin under which the viewer has opened the page.
 */
export function addressProblem(
  { origin, isSet }: Pick<PublicAddress, "origin" | "isSet">,
  here: string,
): string {
  if (isSet) return "";
  if (origin !== here) {
    return `You opened this page at ${here}, but the playlist's addresses begin with ${origin}. Behind a ` +
      `reverse proxy, start the service with PUBLIC_URL=${here}, or name the proxy in TRUSTED_PROXIES.`;
  }
  if (/^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(origin).hostname)) {
    return "This address works on this computer only. For a TV or phone, open this page by the computer's name " +
      "or network address, or set PUBLIC_URL.";
  }
  return "";
}
