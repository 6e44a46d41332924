import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../components/api.ts";
import { type BoardState, statusOf, summary } from "../components/boardState.ts";
import { DeleteDialog } from "../components/DeleteDialog.tsx";
import { Dialog } from "../components/Dialog.tsx";
import { EmptyState } from "../components/EmptyState.tsx";
import type { FormOptions } from "../components/formOptions.ts";
import { Icon } from "../components/Icon.tsx";
import { Notices } from "../components/Notices.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { StreamCard } from "../components/StreamCard.tsx";
import { StreamForm } from "../components/StreamForm.tsx";
import { useBoard } from "../components/useBoard.ts";
import type { PublicStream } from "../lib/streams/stream.ts";

interface StreamBoardProps extends BoardState {
  options: FormOptions;
}

/** The first page: every stream as a card, and the dialogs to add, edit and delete one. */
export function StreamBoard({ streams, statuses, options }: StreamBoardProps) {
  const service = useBoard({ streams, statuses });
  const board = service.board.value;
  const addDialog = useRef<HTMLDialogElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const added = useRef("");
  const [additions, setAdditions] = useState(0);
  const [asked, ask] = useState<{ what: "edit" | "delete"; stream: PublicStream } | null>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);

  const openAdd = () => addDialog.current!.showModal();

  async function add(body: Record<string, unknown>) {
    const stream = await api.add(body);
    added.current = stream.id;
    setAdditions((count) => count + 1);
    service.upsert(stream);
    service.announcement.value = `${stream.name} is added and starting.`;
  }

  async function edit(id: string, body: Record<string, unknown>) {
    if (Object.keys(body).length === 0) return;
    const stream = await api.change(id, body);
    service.upsert(stream);
    service.announcement.value = `${stream.name} is saved.`;
  }

  function addClosed() {
    if (added.current) document.getElementById(`stream-${added.current}`)?.focus();
    added.current = "";
  }

  function askedClosed() {
    const isGone = !board.streams.some((it) => it.id === asked?.stream.id);
    ask(null);
    if (isGone) addButton.current?.focus();
  }

  return (
    <>
      <PageHeader>
        <button type="button" class="js primary" ref={addButton} onClick={openAdd}>
          <Icon name="add" />
          <span>
            Add<span class="wide">&nbsp;stream</span>
          </span>
        </button>
      </PageHeader>
      <main id="main" class="page" data-ready={isReady}>
        <noscript>
          <p class="no-script">
            JavaScript is off, so this list stands still: reload to see it anew. Adding, starting and stopping
            streams needs JavaScript; the links work without.
          </p>
        </noscript>
        {board.streams.length === 0 ? <EmptyState onAdd={openAdd} /> : (
          <>
            <div class="page-title">
              <h1>Streams</h1>
              <p>{summary(board)}</p>
            </div>
            <ul class="cards">
              {board.streams.map((stream) => (
                <StreamCard
                  key={stream.id}
                  stream={stream}
                  status={statusOf(stream, board.statuses)}
                  busy={service.busy.value[stream.id]}
                  onCommand={(command) => service.run(stream, command)}
                  onEdit={() => ask({ what: "edit", stream })}
                  onDelete={() => ask({ what: "delete", stream })}
                />
              ))}
            </ul>
          </>
        )}
      </main>
      <Notices
        isConnected={service.isConnected.value}
        problem={service.problem.value}
        announcement={service.announcement.value}
        onDismiss={() => service.problem.value = ""}
      />
      <Dialog id="add" title="Add a stream" dialogRef={addDialog} onClose={addClosed}>
        <StreamForm key={additions} id="add" options={options} onSave={add} />
      </Dialog>
      {asked?.what === "edit" && (
        <Dialog id="edit" title="Edit the stream" onClose={askedClosed}>
          <StreamForm
            id="edit"
            options={options}
            stream={asked.stream}
            onSave={(body) => edit(asked.stream.id, body)}
          />
        </Dialog>
      )}
      {asked?.what === "delete" && (
        <DeleteDialog stream={asked.stream} onDelete={service.remove} onClose={askedClosed} />
      )}
    </>
  );
}
