import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../components/client/api.ts";
import { BoardDialogs, type OpenDialog } from "../components/board/BoardDialogs.tsx";
import { type BoardState, idsOf, statusOf } from "../components/board/boardState.ts";
import { BoardTitle } from "../components/board/BoardTitle.tsx";
import { type Address, addressesOf, cardLinks } from "../components/board/cardLinks.ts";
import { CardMenu } from "../components/board/CardMenu.tsx";
import { EmptyState } from "../components/board/EmptyState.tsx";
import { PageMenu } from "../components/board/PageMenu.tsx";
import { StreamCard } from "../components/board/StreamCard.tsx";
import { useBoard } from "../components/board/useBoard.ts";
import { useKeptFocus } from "../components/board/useKeptFocus.ts";
import { useSorting } from "../components/board/useSorting.ts";
import { Connected } from "../components/client/connected.ts";
import { copyText } from "../components/ui/copyText.ts";
import type { FormOptions } from "../components/form/formOptions.ts";
import { Icon } from "../components/ui/Icon.tsx";
import { Notices } from "../components/ui/Toasts.tsx";
import { PageHeader } from "../components/ui/PageHeader.tsx";
import type { PublicAddress } from "../components/playlist/playlistAddress.ts";
import type { GlobalPrefs } from "../components/prefs/prefs.ts";
import { usePrefs } from "../components/prefs/usePrefs.ts";
import { groupsOf } from "../components/form/streamDraft.ts";
import { StreamDialogs } from "../components/form/StreamDialogs.tsx";

interface StreamBoardProps extends BoardState {
  options: FormOptions;
  /** What holds until the viewer chooses. */
  defaults: GlobalPrefs;
  rtmpPort: number;
  publicAddress: PublicAddress;
}

/** The first page: every stream as a card, and the dialogs to add, edit and delete one. */
export function StreamBoard(
  { streams, statuses, options, defaults, rtmpPort, publicAddress }: StreamBoardProps,
) {
  const service = useBoard({ streams, statuses });
  const prefs = usePrefs(defaults);
  const board = service.board.value;
  const ids = idsOf(board.streams);
  const list = useRef<HTMLUListElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const added = useRef("");
  const [asked, ask] = useState<OpenDialog | null>(null);
  /** The id of the stream whose menu is open; "/", which no id can be, for the page's. */
  const [menu, setMenu] = useState<string | null>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  useEffect(() => prefs.keepCards(ids), [ids.join()]);
  useKeptFocus(ids.join());
  useSorting(list, board.streams.length > 0, {
    onHold: (isHeld) => service.hold.set(isHeld),
    onDrop: (id, place) => {
      // what waited for the end of the drag is not yet rendered
      const { streams } = service.board.peek();
      const stream = streams.find((it) => it.id === id);
      if (stream && streams.indexOf(stream) !== place) service.move(stream, place);
    },
  });

  const openAdd = () => ask({ what: "add" });
  const closeMenu = () => setMenu(null);

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

  async function copy(address: Address) {
    if (await copyText(address.text)) service.news.tell(`The ${address.label} is copied.`);
    else ask({ what: "address", address });
  }

  function askedClosed() {
    const isGone = asked && "stream" in asked && !ids.includes(asked.stream.id);
    ask(null);
    if (added.current) document.getElementById(`stream-${added.current}`)?.focus();
    else if (isGone) addButton.current?.focus();
    added.current = "";
  }

  const opened = board.streams.find((stream) => stream.id === menu);
  return (
    <Connected.Provider value={service.isConnected.value}>
      <PageHeader>
        <PageMenu
          isOpen={menu === "/"}
          onOpen={() => setMenu("/")}
          onClose={closeMenu}
          onAsk={(what) => ask({ what })}
        />
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
            JavaScript is off, so this list stands still: reload to see it anew. Adding, starting and stopping
            streams needs JavaScript; the links work without.
          </p>
        </noscript>
        {board.streams.length === 0 ? <EmptyState onAdd={openAdd} /> : (
          <div class="board">
            <BoardTitle
              board={board}
              cardSize={prefs.general.cardSize}
              onCardSize={(cardSize) => prefs.setGeneral({ cardSize })}
              onPlaylist={() => ask({ what: "playlist" })}
            />
            <ul class="cards" ref={list}>
              {board.streams.map((stream) => (
                <StreamCard
                  key={stream.id}
                  stream={stream}
                  status={statusOf(stream, board.statuses)}
                  links={cardLinks(stream.id, prefs.of(stream.id))}
                  busy={service.busy.value.get(stream.id)}
                  isMenuOpen={menu === stream.id}
                  isReady={isReady}
                  isConnected={service.isConnected.value}
                  onCommand={(command) => service.run(stream, command)}
                  onMenu={() => setMenu(stream.id)}
                />
              ))}
            </ul>
          </div>
        )}
        {opened && (
          <CardMenu
            stream={opened}
            state={statusOf(opened, board.statuses).state}
            links={cardLinks(opened.id, prefs.of(opened.id))}
            addresses={addressesOf(
              opened.id,
              publicAddress.isSet ? publicAddress.origin : location.origin,
              rtmpPort,
            )}
            prefs={prefs.of(opened.id)}
            busy={service.busy.value.get(opened.id)}
            place={ids.indexOf(opened.id)}
            count={ids.length}
            onClose={closeMenu}
            onAsk={(what) => ask({ what, stream: opened })}
            onCommand={(command) => service.run(opened, command)}
            onAutoReload={(isOn) => service.setAutoReload(opened, isOn)}
            onPicture={() => service.takePicture(opened)}
            onCopy={copy}
            onMove={(place) => service.move(opened, place)}
            onPrefs={(change) => prefs.setCard(opened.id, change)}
          />
        )}
      </main>
      <Notices
        isConnected={service.isConnected.value}
        problem={service.problem.value}
        announcement={service.announcement.value}
        news={service.news.text.value}
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
      {asked && (
        <BoardDialogs
          asked={asked}
          prefs={prefs}
          publicAddress={publicAddress}
          groups={groupsOf(board.streams)}
          onRecreate={(stream) => void service.run(stream, "recreate")}
          onDelete={service.remove}
          onImported={service.poll}
          onClose={askedClosed}
        />
      )}
    </Connected.Provider>
  );
}
