/** Conditional and range requests (RFC 9110, sections 13 and 14) on something that is at hand. */

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

/**
 * The one range a client asks for; null when it gets the whole: no Range, one that is no single range of bytes (which
 * a server may ignore, section 14.2), or an If-Range that names another version.
 * @param etag a strong one, quoted; null if there is none.
 */
export function wantedRange(
  headers: Headers,
  size: number,
  etag: string | null,
): ByteRange | "unsatisfiable" | null {
  const header = headers.get("range");
  if (header === null) return null;
  const ifRange = headers.get("if-range");
  if (ifRange !== null && ifRange !== etag) return null;
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
