import type { WebhookInfo } from "../../lib/model/answers/shapes.ts";
import { api } from "../client/api.ts";
import { testWords, variablesWords } from "./messageText.ts";
import { useTest } from "./useTest.ts";

/** The receiver that the service's variables set: the page shows and tests it, and cannot change it. */
export function VariablesRow({ info }: { info: WebhookInfo }) {
  const { isTesting, result, test } = useTest(() => api.testWebhook());
  return (
    <li class="box receiver">
      <h3>Set by variables</h3>
      <p>{variablesWords(info)}</p>
      <p class="quiet-text">It gets all messages. WEBHOOK_URL and the other WEBHOOK variables set it.</p>
      <p role="status" class={result?.isDelivered === false ? "problem" : "quiet-text"}>
        {isTesting ? "Sending a test message…" : result ? testWords(result) : ""}
      </p>
      <div class="receiver-actions">
        <button
          type="button"
          class="js"
          aria-disabled={isTesting}
          aria-label="Test the receiver of the variables"
          onClick={test}
        >
          Test
        </button>
      </div>
    </li>
  );
}
