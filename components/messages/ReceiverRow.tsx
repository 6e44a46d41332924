import { useEffect, useState } from "preact/hooks";
import type { Delivery } from "../../lib/model/answers/shapes.ts";
import { problemOf } from "../client/api.ts";
import { lastWords, testWords } from "./messageText.ts";

interface ReceiverRowProps {
  name: string;
  /** The receiver's place, and its purpose: a sentence each. */
  place: string;
  purpose: string;
  /** The outcome of the newest message; null: there is none. */
  last: Delivery | null;
  /** The name of the button for the test. */
  testLabel: string;
  send: () => Promise<Delivery>;
  /** The receiver as it was just saved, to be tested: each other object starts a test. */
  tested?: object | null;
  /** Absent: the page cannot change the receiver. */
  onEdit?: () => void;
  onDelete?: () => void;
}

/** One receiver: its purpose, the outcome of its messages, and its test. */
export function ReceiverRow(props: ReceiverRowProps) {
  const { name, place, purpose, last, testLabel, send, tested = null, onEdit, onDelete } = props;
  const [isTesting, setTesting] = useState(false);
  const [result, setResult] = useState<Delivery | null>(null);
  useEffect(() => void (tested && test()), [tested]);

  async function test() {
    if (isTesting) return;
    setTesting(true);
    setResult(null);
    const failed = (error: unknown) => ({ isDelivered: false, status: null, problem: problemOf(error) });
    setResult(await send().catch(failed));
    setTesting(false);
  }

  const outcome = result ?? last;
  return (
    <li class="box receiver">
      <h3>{name}</h3>
      <p>{place}</p>
      <p class="quiet-text">{purpose}</p>
      <p role="status" class={outcome?.isDelivered === false ? "problem" : "quiet-text"}>
        {isTesting ? "Sending a test message…" : result ? testWords(result) : last ? lastWords(last) : ""}
      </p>
      <div class="receiver-actions">
        <button type="button" class="js" aria-disabled={isTesting} aria-label={testLabel} onClick={test}>
          Test
        </button>
        {onEdit && (
          <button type="button" class="js" aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </button>
        )}
        {onDelete && (
          <button type="button" class="js quiet" aria-label={`Delete ${name}`} onClick={onDelete}>
            Delete
          </button>
        )}
      </div>
    </li>
  );
}
