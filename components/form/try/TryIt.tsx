import { useRef } from "preact/hooks";
import { TriedPanel } from "./TriedPanel.tsx";
import type { Trial } from "./useTrial.ts";

interface TryItProps {
  trial: Trial;
  /** The form's present name. */
  name: unknown;
  onName: (name: string) => void;
  /** Whether the form has an accepted certificate already. */
  hasCertificate: boolean;
  /** Adds the fingerprint of an accepted certificate to the form. */
  onAccept: (fingerprint: string) => void;
  /** Leads to the fields for a login. */
  onLogin: () => void;
}

/** Opens the typed address before it is saved, and shows the result. */
export function TryIt({ trial: { isTrying, outcome, start, stop }, onAccept, ...given }: TryItProps) {
  const button = useRef<HTMLButtonElement>(null);

  function accept(fingerprint: string) {
    onAccept(fingerprint);
    // the pressed button goes away with the answer
    button.current!.focus();
    void start();
  }

  return (
    <div class="try">
      <p class="try-line">
        <button type="button" ref={button} class="small" onClick={() => isTrying ? stop() : start()}>
          {isTrying ? "Stop trying" : "Try it"}
        </button>
        <span class="hint" role="status">
          {isTrying ? "Opening the page. This takes some seconds…" : outcome ? "" : HINT}
        </span>
      </p>
      {isTrying && (
        <div class="tried" aria-hidden="true">
          <span class="tried-room" />
        </div>
      )}
      {outcome && "problem" in outcome && <p class="problem" role="alert">{outcome.problem}</p>}
      {outcome && "tried" in outcome && <TriedPanel tried={outcome.tried} onAccept={accept} {...given} />}
    </div>
  );
}

const HINT = "Shows the page's picture and saves nothing. Enter does the same.";
