import { useEffect, useRef, useState } from "preact/hooks";
import { useKeptSession } from "../components/client/useKeptSession.ts";
import { ReceiverRow } from "../components/messages/ReceiverRow.tsx";
import { ReceiverDialog } from "../components/messages/ReceiverDialog.tsx";
import { purposeWords, variablesWords } from "../components/messages/messageText.ts";
import type { GlobalPrefs } from "../components/prefs/prefs.ts";
import { usePrefs } from "../components/prefs/usePrefs.ts";
import { api } from "../components/client/api.ts";
import { ConfirmDialog } from "../components/ui/ConfirmDialog.tsx";
import { Icon } from "../components/ui/Icon.tsx";
import { PageHeader } from "../components/header/PageHeader.tsx";
import { useTvKeys } from "../components/header/useArrowKeys.ts";
import type { ReceiverAnswer, WebhookInfo } from "../lib/model/answers/shapes.ts";
import type { HeaderFacts } from "../lib/model/answers/header.ts";
import type { WayForm } from "../lib/model/receivers.ts";

interface MessageBoardProps {
  receivers: ReceiverAnswer[];
  ways: WayForm[];
  /** The receiver of the variables; null: there is none. */
  variables: WebhookInfo | null;
  header: HeaderFacts;
  groups: string[];
  /** The preferences until the viewer chooses. */
  defaults: GlobalPrefs;
  isLoginOn: boolean;
}

/** The receivers of messages. */
export function MessageBoard(props: MessageBoardProps) {
  const { header, ways, variables, groups, defaults, isLoginOn } = props;
  usePrefs(defaults);
  useKeptSession(isLoginOn);
  useTvKeys();
  const [receivers, setReceivers] = useState(props.receivers);
  const [edited, setEdited] = useState<ReceiverAnswer | "new" | null>(null);
  const [deleted, setDeleted] = useState<ReceiverAnswer | null>(null);
  /** The receiver that was saved to be tested at once. */
  const [tested, setTested] = useState<ReceiverAnswer | null>(null);
  const [isReady, setReady] = useState(false);
  const addButton = useRef<HTMLButtonElement>(null);
  useEffect(() => setReady(true), []);

  function saved(receiver: ReceiverAnswer, isTested: boolean) {
    setReceivers((all) =>
      all.some(({ id }) => id === receiver.id)
        ? all.map((one) => one.id === receiver.id ? receiver : one)
        : [...all, receiver]
    );
    setTested(isTested ? receiver : null);
  }

  async function remove({ id }: ReceiverAnswer) {
    await api.removeReceiver(id);
    setReceivers((all) => all.filter((one) => one.id !== id));
    setTimeout(() => addButton.current?.focus());
  }

  const wordOf = (name: string) => ways.find(({ way }) => way === name)?.label ?? name;
  const isEmpty = receivers.length === 0 && variables === null;
  return (
    <>
      <PageHeader header={header}>
        <button
          type="button"
          class="js primary add"
          aria-label="Add receiver"
          ref={addButton}
          onClick={() => setEdited("new")}
        >
          <Icon name="add" />
          <span>Add receiver</span>
        </button>
      </PageHeader>
      <main id="main" class="page column messages" data-ready={isReady}>
        <h1>Messages</h1>
        <section aria-labelledby="receivers-title">
          <h2 id="receivers-title">Receivers</h2>
          {isEmpty && (
            <p class="quiet-text">
              No receiver is set up. Add one: it gets a message when a stream fails and when it is back.
            </p>
          )}
          <ul class="receivers">
            {variables && (
              <ReceiverRow
                name="Set by variables"
                place={variablesWords(variables, wordOf(variables.format))}
                purpose="It gets all messages. WEBHOOK_URL and the other WEBHOOK variables set it."
                last={null}
                testLabel="Test the receiver of the variables"
                send={api.testWebhook}
              />
            )}
            {receivers.map((one) => (
              <ReceiverRow
                key={one.id}
                name={one.name}
                place={`${wordOf(one.way)} at ${one.host}`}
                purpose={purposeWords(one)}
                last={one.last}
                testLabel={`Test ${one.name}`}
                send={() => api.testReceiver(one.id)}
                tested={tested?.id === one.id ? tested : null}
                onEdit={() => setEdited(one)}
                onDelete={() => setDeleted(one)}
              />
            ))}
          </ul>
        </section>
      </main>
      {edited && (
        <ReceiverDialog
          receiver={edited === "new" ? null : edited}
          ways={ways}
          groups={groups}
          onSaved={saved}
          onClose={() => setEdited(null)}
        />
      )}
      {deleted && (
        <ConfirmDialog
          id="delete-receiver"
          title={`Delete “${deleted.name}”?`}
          keep="Keep it"
          action="Delete"
          acting="Deleting…"
          failed="The receiver was not deleted."
          onConfirm={() => remove(deleted)}
          onClose={() => setDeleted(null)}
        >
          It gets no more messages. Its address and its secrets are removed.
        </ConfirmDialog>
      )}
    </>
  );
}
