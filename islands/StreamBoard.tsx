import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../components/api.ts";
import { BackupDialog } from "../components/BackupDialog.tsx";
import { type BoardState, statusOf, summary } from "../components/boardState.ts";
import { DeleteDialog } from "../components/DeleteDialog.tsx";
import { EmptyState } from "../components/EmptyState.tsx";
import type { FormOptions } from "../components/formOptions.ts";
import { Icon } from "../components/Icon.tsx";
import { Notices } from "../components/Notices.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { StreamCard } from "../components/StreamCard.tsx";
import { StreamDialogs } from "../components/StreamDialogs.tsx";
import { useBoard } from "../components/useBoard.ts";
import type { PublicStream } from "../lib/streams/stream.ts";

interface StreamBoardProps extends BoardState {
  options: FormOptions;
}

type Asked = { what: "add" | "backup" } | { what: "edit" | "delete"; stream: PublicStream };

/** The first page: every stream as a card, and the dialogs to add, edit and delete one. */
export function StreamBoard({ streams, statuses, options }: StreamBoardProps) {
  const service = useBoard({ streams, statuses });
  const board = service.board.value;
  const addButton = useRef<HTMLButtonElement>(null);
  const added = useRef("");
  const [asked, ask] = useState<Asked | null>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);

  const openAdd = () => ask({ what: "add" });

  async function add(body: Record<string, unknown>) {
    const stream = await api.add(body);
    added.current = stream.id;
    service.upsert(stream);
    service.announcement.value = `${stream.name} is added and starting.`;
  }

  async function edit(id: string, body: Record<string, unknown>) {
    const stream = await api.change(id, body);
    service.upsert(stream);
    service.announcement.value = `${stream.name} is saved.`;
  }

  function askedClosed() {
    const { stream } = { stream: undefined, ...asked };
    const isGone = stream && !board.streams.some((it) => it.id === stream.id);
    ask(null);
    if (added.current) document.getElementById(`stream-${added.current}`)?.focus();
    else if (isGone) addButton.current?.focus();
    added.current = "";
  }

  return (
    <>
      <PageHeader>
        <button type="button" class="js quiet" onClick={() => ask({ what: "backup" })}>Backup</button>
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
      <StreamDialogs
        asked={asked}
        streams={board.streams}
        options={options}
        onAdd={add}
        onEdit={edit}
        onClose={askedClosed}
      />
      {asked?.what === "backup" && <BackupDialog onImported={() => {}} onClose={askedClosed} />}
      {asked?.what === "delete" && (
        <DeleteDialog stream={asked.stream} onDelete={service.remove} onClose={askedClosed} />
      )}
    </>
  );
}
