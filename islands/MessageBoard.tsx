import { useEffect, useRef, useState } from "preact/hooks";
import { useKeptSession } from "../components/client/useKeptSession.ts";
import { IncidentList } from "../components/messages/IncidentList.tsx";
import { ReceiverRow } from "../components/messages/ReceiverRow.tsx";
import { ReceiverDialog } from "../components/messages/ReceiverDialog.tsx";
import { VariablesRow } from "../components/messages/VariablesRow.tsx";
import type { GlobalPrefs } from "../components/prefs/prefs.ts";
import { usePrefs } from "../components/prefs/usePrefs.ts";
import { api } from "../components/client/api.ts";
import { ConfirmDialog } from "../components/ui/ConfirmDialog.tsx";
import { Icon } from "../components/ui/Icon.tsx";
import { BackToStreams, PageHeader } from "../components/ui/PageHeader.tsx";
import type { Incident, ReceiverAnswer, WebhookInfo } from "../lib/model/answers/shapes.ts";

interface MessageBoardProps {
  receivers: ReceiverAnswer[];
  /** The receiver of the variables; null: there is none. */
  variables: WebhookInfo | null;
  incidents: Incident[];
  streams: { id: string; name: string }[];
  groups: string[];
  /** The preferences until the viewer chooses. */
  defaults: GlobalPrefs;
  isLoginOn: boolean;
}

/** Who is told what goes wrong, and the list of what went wrong. */
export function MessageBoard(props: MessageBoardProps) {
  const { variables, incidents, streams, groups, defaults, isLoginOn } = props;
  usePrefs(defaults);
  useKeptSession(isLoginOn);
  const [receivers, setReceivers] = useState(props.receivers);
  const [edited, setEdited] = useState<ReceiverAnswer | "new" | null>(null);
  const [deleted, setDeleted] = useState<ReceiverAnswer | null>(null);
  /** The receiver that is tested as soon as its row is there. */
  const [tested, setTested] = useState("");
  const [isReady, setReady] = useState(false);
  const addButton = useRef<HTMLButtonElement>(null);
  useEffect(() => setReady(true), []);

  function saved(receiver: ReceiverAnswer, isTested: boolean) {
    setReceivers((all) =>
      all.some(({ id }) => id === receiver.id)
        ? all.map((one) => one.id === receiver.id ? receiver : one)
        : [...all, receiver]
    );
    setTested(isTested ? receiver.id : "");
  }

  async function remove({ id }: ReceiverAnswer) {
    await api.removeReceiver(id);
    setReceivers((all) => all.filter((one) => one.id !== id));
    setTimeout(() => addButton.current?.focus());
  }

  const isEmpty = receivers.length === 0 && variables === null;
  return (
    <>
      <PageHeader>
        <BackToStreams />
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
      <main id="main" class="page messages" data-ready={isReady}>
        <h1>Messages</h1>
        <section aria-labelledby="receivers-title">
          <h2 id="receivers-title">Receivers</h2>
          {isEmpty && (
            <p class="quiet-text">
              No receiver is set up. Add one: it gets a message when a stream fails and when it is back.
            </p>
          )}
          <ul class="receivers">
            {variables && <VariablesRow info={variables} />}
            {receivers.map((one) => (
              <ReceiverRow
                key={one.id}
                receiver={one}
                isTested={tested === one.id}
                onEdit={() => setEdited(one)}
                onDelete={() => setDeleted(one)}
              />
            ))}
          </ul>
        </section>
        <IncidentList first={incidents} streams={streams} groups={groups} />
      </main>
      {edited && (
        <ReceiverDialog
          receiver={edited === "new" ? null : edited}
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
          failed="It was not deleted."
          onConfirm={() => remove(deleted)}
          onClose={() => setDeleted(null)}
        >
          It gets no more messages. Its address and its secrets are removed.
        </ConfirmDialog>
      )}
    </>
  );
}
