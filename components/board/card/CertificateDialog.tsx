import type { PublicStream } from "../../../lib/model/schema.ts";
import { CertificateFacts } from "../../ui/CertificateFacts.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { useBoardContext } from "../BoardContext.ts";
import type { PageCertificate } from "../../../lib/model/answers/shapes.ts";

interface CertificateDialogProps {
  stream: PublicStream;
  certificate: PageCertificate;
  /** Whether another certificate was accepted before. */
  isOther: boolean;
  onClose: () => void;
}

/** Shows a certificate that no known authority has signed, and accepts it for one stream. */
export function CertificateDialog({ stream, certificate, isOther, onClose }: CertificateDialogProps) {
  const { board } = useBoardContext();
  const { fingerprint } = certificate;
  const hasSecrets = stream.passSet || stream.extraHeadersSet || stream.extraCookiesSet;

  async function accept() {
    const { acceptedCertificates, revision } =
      board.state.peek().streams.find(({ id }) => id === stream.id) ??
        stream;
    const all = `${acceptedCertificates} ${fingerprint}`.trim();
    await board.update(stream.id, { acceptedCertificates: all, revision });
  }

  return (
    <ConfirmDialog
      id="certificate"
      title="Accept this certificate?"
      keep="Do not accept"
      action="Accept"
      acting="Accepting…"
      failed="The certificate was not accepted."
      details={<CertificateFacts certificate={certificate} />}
      onConfirm={accept}
      onClose={onClose}
    >
      {isOther && (
        <strong>
          This is not the certificate that was accepted before. Someone may intercept the connection.
        </strong>
      )} Compare the fingerprint with the one on the page's server.{" "}
      <strong class="wrap">{stream.name}</strong>{" "}
      then accepts exactly this certificate, and its browser starts anew for that. Other streams do not accept
      it.
      {hasSecrets &&
        " This stream has stored secrets, which must be typed again with that. Use “Edit” and “Try it”, which do both."}
    </ConfirmDialog>
  );
}
