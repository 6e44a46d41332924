import { useEffect, useRef } from "preact/hooks";
import { useWebhook } from "./useWebhook.ts";
import { lastWords, settingWords, testWords } from "./webhookText.ts";

/** The receiver of messages about failed streams, and its test. The service sets the receiver; the panel shows it. */
export function WebhookPanel() {
  const { info, problem, load, test, isTesting, result } = useWebhook();
  const outcome = useRef<HTMLParagraphElement>(null);
  // the outcome is the last element in a dialog that scrolls
  useEffect(() => outcome.current?.scrollIntoView({ block: "nearest" }), [result]);
  return (
    <section class="webhook" aria-labelledby="webhook-title">
      <h3 id="webhook-title">Messages when a stream fails</h3>
      {info && (
        <button type="button" class="small" aria-disabled={isTesting} onClick={test}>
          {isTesting ? "Sending…" : "Send a test"}
        </button>
      )}
      {problem && (
        <>
          <button type="button" class="small" onClick={load}>Try again</button>
          <p class="problem" role="alert">{problem}</p>
        </>
      )}
      {!problem && <p class="hint webhook-state">{info === undefined ? "" : settingWords(info)}</p>}
      {info && (
        <p
          role="status"
          ref={outcome}
          class={(result ?? info.last)?.isDelivered === false ? "problem" : "hint"}
        >
          {result ? testWords(result) : info.last ? lastWords(info.last) : ""}
        </p>
      )}
    </section>
  );
}
