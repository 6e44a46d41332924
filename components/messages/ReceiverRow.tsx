import { useEffect } from "preact/hooks";
import type { ReceiverAnswer } from "../../lib/model/answers/shapes.ts";
import { api } from "../client/api.ts";
import { lastWords, purposeWords, testWords, WAY_WORDS } from "./messageText.ts";
import { useTest } from "./useTest.ts";

interface ReceiverRowProps {
  receiver: ReceiverAnswer;
  /** Whether a test is sent as the row is shown. */
  isTested: boolean;
  onEdit: () => void;
  onDelete: () => void;
}

/** One receiver: what it is for, how its messages go, and its test. */
export function ReceiverRow({ receiver, isTested, onEdit, onDelete }: ReceiverRowProps) {
  const { id, name, way, host, last } = receiver;
  const { isTesting, result, test } = useTest(() => api.testReceiver(id));
  useEffect(() => void (isTested && test()), [receiver, isTested]);
  const outcome = result ?? last;
  return (
    <li class="box receiver">
      <h3>{name}</h3>
      <p>
        {WAY_WORDS[way]} at {host}
      </p>
      <p class="quiet-text">{purposeWords(receiver)}</p>
      <p role="status" class={outcome?.isDelivered === false ? "problem" : "quiet-text"}>
        {isTesting ? "Sending a test message…" : result ? testWords(result) : last ? lastWords(last) : ""}
      </p>
      <div class="receiver-actions">
        <button type="button" class="js" aria-disabled={isTesting} aria-label={`Test ${name}`} onClick={test}>
          Test
        </button>
        <button type="button" class="js" aria-label={`Edit ${name}`} onClick={onEdit}>Edit</button>
        <button type="button" class="js quiet" aria-label={`Delete ${name}`} onClick={onDelete}>
          Delete
        </button>
      </div>
    </li>
  );
}
