import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { BoardContext, type OpenMenu } from "../components/board/BoardContext.ts";
import { BoardDialogs } from "../components/board/BoardDialogs.tsx";
import { BoardMain } from "../components/board/BoardMain.tsx";
import { BoardToasts } from "../components/board/BoardToasts.tsx";
import { type BoardState, idsOf } from "../components/board/boardState.ts";
import { boardItems, knownIds, listOf, seenIds } from "../components/board/boardItems.ts";
import { type BoardFilter, isFiltering } from "../components/board/filter/filter.ts";
import type { OpenDialog } from "../components/board/openDialog.ts";
import { PageMenu } from "../components/board/PageMenu.tsx";
import { useBoard } from "../components/board/useBoard.ts";
import { useCardKeys } from "../components/board/card/useCardKeys.ts";
import { useCollapsed } from "../components/board/order/useCollapsed.ts";
import { useEditFromPage } from "../components/board/useEditFromPage.ts";
import { useFigures } from "../components/board/card/useFigures.ts";
import { useFilter } from "../components/board/filter/useFilter.ts";
import { useFocusAfterReorder } from "../components/board/order/useFocusAfterReorder.ts";
import { tableRows } from "../components/board/table/tableOrder.ts";
import { type Overview, useOverview } from "../components/board/useOverview.ts";
import { CurrentConnection } from "../components/client/connection.ts";
import { showOpenCount } from "../components/client/openCount.ts";
import { useKeptSession } from "../components/client/useKeptSession.ts";
import type { FormOptions } from "../components/form/formOptions.ts";
import type { PublicAddress } from "../components/playlist/playlistAddress.ts";
import type { GlobalPrefs } from "../components/prefs/prefs.ts";
import { usePrefs } from "../components/prefs/usePrefs.ts";
import { useSelection } from "../components/select/useSelection.ts";
import { Icon } from "../components/ui/Icon.tsx";
import { PageHeader } from "../components/header/PageHeader.tsx";
import type { SystemFigures } from "../lib/model/answers/shapes.ts";
import type { HeaderFacts } from "../lib/model/answers/header.ts";

interface StreamBoardProps extends BoardState, Overview {
  /** The version of the stream list that the page was made of. */
  listVersion: string;
  /** The filter of the page's address. */
  found: BoardFilter;
  system: SystemFigures;
  options: FormOptions;
  /** The preferences until the viewer chooses. */
  defaults: GlobalPrefs;
  rtmpPort: number | null;
  publicAddress: PublicAddress;
  /** Whether people have to log in. */
  isLoginOn: boolean;
  header: HeaderFacts;
}

/** The first page: every stream as a card, and the dialogs that add, edit and delete a stream. */
export function StreamBoard(
  {
    streams,
    statuses,
    pending,
    listVersion,
    found,
    heartbeats,
    problems,
    system,
    options,
    defaults,
    isLoginOn,
    header,
    ...addresses
  }: StreamBoardProps,
) {
  const board = useBoard({ streams, statuses, pending }, listVersion);
  const overview = useOverview({ heartbeats, problems }, pending.length > 0, board.dragLock);
  const figures = useFigures(system, board.dragLock, board.poll);
  const prefs = usePrefs(defaults);
  const filter = useFilter(found);
  const collapsed = useCollapsed();
  const items = boardItems(board.state.value, filter.current, filter.isFirst, board.hidden.value);
  const facts = { ...board.state.value, ...overview.value };
  const rows = prefs.general.cardSize === "table" ? tableRows(items, filter.current.sort, facts) : null;
  const isClosed = (key: string) => !isFiltering(filter.current) && collapsed.has(key);
  const selection = useSelection(rows ? knownIds(rows) : seenIds(items, isClosed));
  useSignalEffect(() => showOpenCount(figures.system.value.openIncidents, "Streams · Browser Stream"));
  useKeptSession(isLoginOn);
  const { streams: shown, pending: waiting } = board.state.value;
  const isWhole = waiting.length === 0;
  const order = idsOf(shown).join();
  const addButton = useRef<HTMLButtonElement>(null);
  const [dialog, openDialog] = useState<OpenDialog | null>(null);
  const [menu, openMenu] = useState<OpenMenu>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  useEffect(() => {
    if (isWhole) prefs.pruneCards(idsOf(shown));
  }, [order, isWhole]);
  useFocusAfterReorder(order);
  useCardKeys(openMenu, isReady, isWhole);

  const goBack = useEditFromPage(board.state.value, openDialog);

  function dialogClosed({ added, isRemoved }: { added?: string; isRemoved?: boolean }) {
    openDialog(null);
    if (goBack()) return;
    if (added) document.getElementById(`stream-${added}`)?.focus();
    else if (isRemoved) addButton.current?.focus();
  }

  return (
    <CurrentConnection.Provider value={board.connection.value}>
      <BoardContext.Provider
        value={{
          board,
          overview,
          ...figures,
          items,
          rows,
          filter,
          collapsed,
          selection,
          prefs,
          isLoginOn,
          isReady,
          menu,
          listOf: (id) =>
            listOf(boardItems(board.state.peek(), filter.peek(), filter.isFirst, board.hidden.peek()), id),
          openMenu,
          openDialog,
        }}
      >
        <PageHeader header={header}>
          <PageMenu />
          <button
            type="button"
            class="js primary add"
            data-least="operator"
            aria-label="Add stream"
            ref={addButton}
            onClick={() => openDialog({ kind: "add" })}
          >
            <Icon name="add" />
            <span>Add stream</span>
          </button>
        </PageHeader>
        <BoardMain publicAddress={addresses.publicAddress} defaults={options.defaults} />
        <BoardToasts />
        <BoardDialogs dialog={dialog} options={options} {...addresses} onClose={dialogClosed} />
      </BoardContext.Provider>
    </CurrentConnection.Provider>
  );
}
