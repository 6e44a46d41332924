import type { PageCertificate } from "../../lib/model/answers/shapes.ts";
import { shownFingerprint } from "../../lib/model/certificates.ts";

/** The facts that a person compares before a certificate is accepted. */
export function CertificateFacts({ certificate }: { certificate: PageCertificate }) {
  const { subject, issuer, validFrom, validTo, fingerprint } = certificate;
  return (
    <dl class="certificate">
      <dt>For</dt>
      <dd>{subject || "nobody"}</dd>
      <dt>Issued by</dt>
      <dd>{issuer || "nobody"}</dd>
      <dt>Valid</dt>
      <dd>{day(validFrom)} to {day(validTo)}</dd>
      <dt>SHA-256</dt>
      <dd class="fingerprint">
        {shownFingerprint(fingerprint).split(":").map((byte, at) =>
          at === 0 ? byte : [":", <wbr key={at} />, byte]
        )}
      </dd>
    </dl>
  );
}

/** A day that reads the same everywhere: 2027-03-31. */
function day(at: number): string {
  return at > 0 ? new Date(at).toISOString().slice(0, 10) : "?";
}
