import type { TriedPage } from "../../../lib/model/answers/shapes.ts";
import { CertificateFacts } from "../../ui/CertificateFacts.tsx";

interface TriedPanelProps {
  tried: TriedPage;
  /** The form's present name. */
  name: unknown;
  onName: (name: string) => void;
  /** Whether the form has an accepted certificate already. */
  hasCertificate: boolean;
  /** Takes the fingerprint of a certificate that is accepted. */
  onAccept: (fingerprint: string) => void;
  /** Leads to the fields for a login. */
  onLogin: () => void;
}

const LOGIN_WORDS = {
  form: "The page asks for a login in a form.",
  http: "The page's server asks for a login by HTTP.",
};

/** The result of a tried page. */
export function TriedPanel({ tried, name, onName, hasCertificate, onAccept, onLogin }: TriedPanelProps) {
  const { url, title, status, problem, media, login, picture, certificate, leftOut } = tried;
  return (
    <div class="tried">
      {picture && (
        <img
          src={`data:image/jpeg;base64,${picture}`}
          alt={`What ${url} looks like`}
          width={640}
          height={360}
        />
      )}
      <div role="status">
        {title && <strong class="wrap">{title}</strong>}
        {title && title !== name && (
          <button type="button" class="small" onClick={() => onName(title)}>
            Use as name
          </button>
        )}
        {problem ? <p class="problem">{problem}</p> : <p>The page opens{status ? ` (${status})` : ""}.</p>}
        {media && <p>The address is {media}.</p>}
        {login && (
          <p>
            {LOGIN_WORDS[login]}{" "}
            <button type="button" class="link" onClick={onLogin}>Set user name and password</button>
          </p>
        )}
        {certificate && (
          <>
            <CertificateFacts certificate={certificate} />
            <p>
              {hasCertificate && (
                <strong>
                  This is not the certificate that was accepted before. Someone may intercept the connection.
                </strong>
              )} Compare the fingerprint with the one on the page's server.
            </p>
            <button type="button" class="small" onClick={() => onAccept(certificate.fingerprint)}>
              Accept this certificate
            </button>
          </>
        )}
        {leftOut.map((reason) => <p key={reason}>Not used here: {reason}</p>)}
      </div>
    </div>
  );
}
