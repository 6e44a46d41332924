/** Conditional and range requests (RFC 9110, sections 13 and 14) on something that is at hand. */

export interface Validators {
  /** A strong validator, quoted; null if there is none. */
  etag: string | null;
  /** An HTTP date; null if there is none. */
  lastModified: string | null;
}

/** Bytes `from` up to, not including, `to`. */
export interface ByteRange {
  from: number;
  to: number;
}

/** Whether If-None-Match names the tag. The comparison is weak (section 13.1.2). */
export function namesTag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Whether the client has it already: 304. If-Modified-Since counts only without If-None-Match. */
export function isNotModified(headers: Headers, { etag, lastModified }: Validators): boolean {
  const ifNoneMatch = headers.get("if-none-match");
  if (ifNoneMatch !== null) return etag !== null && namesTag(ifNoneMatch, etag);
  const since = headers.get("if-modified-since");
  if (since === null || lastModified === null) return false;
  return Date.parse(lastModified) <= Date.parse(since);
}

/**
 * The one range a client asks for; null when it gets the whole: no Range, one that is no single range of bytes (which
 * a server may ignore, section 14.2), or an If-Range that names another version.
 */
export function wantedRange(
  headers: Headers,
  size: number,
  { etag, lastModified }: Validators,
): ByteRange | "unsatisfiable" | null {
  const header = headers.get("range");
  if (header === null) return null;
  const ifRange = headers.get("if-range");
  if (ifRange !== null && ifRange !== etag && ifRange !== lastModified) return null;
  const [, first, last] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header) ?? [];
  if (first === undefined || (first === "" && last === "")) return null;
  if (first === "") {
    const count = Math.min(Number(last), size);
    return count === 0 ? "unsatisfiable" : { from: size - count, to: size };
  }
  if (last !== "" && Number(last) < Number(first)) return null;
  if (Number(first) >= size) return "unsatisfiable";
  return { from: Number(first), to: last === "" ? size : Math.min(Number(last) + 1, size) };
}
