/** The untrusted certificates that a stream's page may have: the stream's field acceptedCertificates. Pure. */

const MAX_CERTIFICATES = 10;

/** Characters; a longer text is not read. */
const MAX_TEXT = 4096;

/**
 * The SHA-256 fingerprints in a text with blanks, commas or line breaks between them, as 64 small hexadecimal digits
 * each; null: a word is none, or the text is too long. Colons may stand in them, as openssl and browsers write them.
 */
export function parseFingerprints(text: string): string[] | null {
  if (text.length > MAX_TEXT) return null;
  const words = text.split(/[\s,]+/).filter(Boolean).map((word) => word.replaceAll(":", "").toLowerCase());
  return words.every((word) => /^[0-9a-f]{64}$/.test(word)) ? [...new Set(words)] : null;
}

/** The problem of the field; null: it is valid. */
export function fingerprintsProblem(text: string): string | null {
  const fingerprints = parseFingerprints(text);
  if (fingerprints === null) {
    return "Each must be a SHA-256 fingerprint, 64 hexadecimal digits, such as 5F:3A:… of openssl or a browser.";
  }
  return fingerprints.length > MAX_CERTIFICATES ? `There are at most ${MAX_CERTIFICATES}.` : null;
}

/** A fingerprint as people compare it: "5F:3A:…". */
export function shownFingerprint(fingerprint: string): string {
  return fingerprint.toUpperCase().match(/../g)?.join(":") ?? "";
}
