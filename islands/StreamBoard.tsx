import { useEffect, useRef, useState } from "preact/hooks";
import { BoardContext, type OpenMenu } from "../components/board/BoardContext.ts";
import { BoardDialogs } from "../components/board/BoardDialogs.tsx";
import { type BoardState, idsOf } from "../components/board/boardState.ts";
import { BoardTitle } from "../components/board/BoardTitle.tsx";
import { CardMenu } from "../components/board/CardMenu.tsx";
import { EmptyState } from "../components/board/EmptyState.tsx";
import { Notices } from "../components/board/Notices.tsx";
import type { OpenDialog } from "../components/board/openDialog.ts";
import { PendingCard } from "../components/board/PendingCard.tsx";
import { PageMenu } from "../components/board/PageMenu.tsx";
import { StreamCard } from "../components/board/StreamCard.tsx";
import { useBoard } from "../components/board/useBoard.ts";
import { useFocusAfterReorder } from "../components/board/useFocusAfterReorder.ts";
import { type Overview, useOverview } from "../components/board/useOverview.ts";
import { useSorting } from "../components/board/useSorting.ts";
import { CurrentConnection } from "../components/client/connection.ts";
import { useKeptSession } from "../components/client/useKeptSession.ts";
import type { FormOptions } from "../components/form/formOptions.ts";
import type { PublicAddress } from "../components/playlist/playlistAddress.ts";
import type { GlobalPrefs } from "../components/prefs/prefs.ts";
import { usePrefs } from "../components/prefs/usePrefs.ts";
import { Icon } from "../components/ui/Icon.tsx";
import { LogoutForm } from "../components/login/LogoutForm.tsx";
import { PageHeader } from "../components/ui/PageHeader.tsx";
import { Toasts } from "../components/ui/Toasts.tsx";

interface StreamBoardProps extends BoardState, Overview {
  options: FormOptions;
  /** What holds until the viewer chooses. */
  defaults: GlobalPrefs;
  rtmpPort: number | null;
  publicAddress: PublicAddress;
  /** Whether people have to log in. */
  isLoginOn: boolean;
}

/** The first page: every stream as a card, and the dialogs to add, edit and delete one. */
export function StreamBoard(
  { streams, statuses, pending, heartbeats, problems, options, defaults, isLoginOn, ...addresses }:
    StreamBoardProps,
) {
  const board = useBoard({ streams, statuses, pending });
  const overview = useOverview({ heartbeats, problems }, pending.length > 0, board.dragLock);
  const prefs = usePrefs(defaults);
  useKeptSession(isLoginOn);
  const { streams: shown, pending: waiting } = board.state.value;
  const isWhole = waiting.length === 0;
  const order = idsOf(shown).join();
  const list = useRef<HTMLUListElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const [dialog, openDialog] = useState<OpenDialog | null>(null);
  const [menu, openMenu] = useState<OpenMenu>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  useEffect(() => {
    if (isWhole) prefs.pruneCards(idsOf(shown));
  }, [order, isWhole]);
  useFocusAfterReorder(order);
  useSorting(list, shown.length > 0 && isWhole, {
    onDrag: (isDragging) => board.dragLock.set(isDragging),
    onDrop: (id, position) => {
      // what waited for the end of the drag is not yet rendered
      const { streams } = board.state.peek();
      const stream = streams.find((it) => it.id === id);
      if (stream && streams.indexOf(stream) !== position) board.move(stream, position);
    },
  });

  const openAdd = () => openDialog({ kind: "add" });

  function dialogClosed({ added, isRemoved }: { added?: string; isRemoved?: boolean }) {
    openDialog(null);
    if (added) document.getElementById(`stream-${added}`)?.focus();
    else if (isRemoved) addButton.current?.focus();
  }

  const withMenu = shown.find(({ id }) => id === menu);
  return (
    <CurrentConnection.Provider value={board.connection.value}>
      <BoardContext.Provider
        value={{ board, overview, prefs, isLoginOn, isReady, menu, openMenu, openDialog }}
      >
        <PageHeader>
          <PageMenu />
          <button
            type="button"
            class="js primary add"
            aria-label="Add stream"
            ref={addButton}
            onClick={openAdd}
          >
            <Icon name="add" />
            <span>Add stream</span>
          </button>
        </PageHeader>
        <main id="main" class="page" data-ready={isReady}>
          <noscript>
            <p class="no-script">
              JavaScript is off, so this list stands still: reload to bring it up to date. Adding, starting
              and stopping streams needs JavaScript; the links work without.
            </p>
            {isLoginOn && <LogoutForm />}
          </noscript>
          <Notices />
          {shown.length === 0 ? <EmptyState onAdd={openAdd} /> : (
            <div class="board">
              <BoardTitle />
              <ul class="cards" ref={list}>
                {shown.map((stream) => <StreamCard key={stream.id} stream={stream} />)}
                {waiting.map((stream) => <PendingCard key={stream.id} {...stream} />)}
              </ul>
            </div>
          )}
          {!isLoginOn && (
            <p class="hint open-to-all">
              There is no login: everyone who reaches this address can use this page. AUTH_USER and AUTH_PASS
              set one when the service starts.
            </p>
          )}
          {withMenu && <CardMenu stream={withMenu} {...addresses} />}
        </main>
        <Toasts
          connection={board.connection.value}
          problem={board.problem.value}
          announcement={board.announcement.value}
          toast={board.toast.text.value}
          onDismiss={() => board.problem.value = ""}
        />
        <BoardDialogs
          dialog={dialog}
          options={options}
          publicAddress={addresses.publicAddress}
          onClose={dialogClosed}
        />
      </BoardContext.Provider>
    </CurrentConnection.Provider>
  );
}
