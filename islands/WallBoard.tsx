import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useKeptSession } from "../components/client/useKeptSession.ts";
import type { GlobalPrefs } from "../components/prefs/prefs.ts";
import { usePrefs } from "../components/prefs/usePrefs.ts";
import { Icon } from "../components/ui/Icon.tsx";
import { lazy } from "../components/ui/lazy.tsx";
import { PageHeader } from "../components/header/PageHeader.tsx";
import { Toasts } from "../components/ui/Toasts.tsx";
import { useArrowKeys } from "../components/header/useArrowKeys.ts";
import { useToast } from "../components/ui/useToast.ts";
import type { PublicAddress } from "../components/playlist/playlistAddress.ts";
import { useWalls } from "../components/wall/useWalls.ts";
import { WallCard } from "../components/wall/WallCard.tsx";
import { type WallDialog, WallDialogs } from "../components/wall/WallDialogs.tsx";
import { wallOfRunning, type WallStream } from "../components/wall/wallStreams.ts";
import type { HeaderFacts } from "../lib/model/answers/header.ts";
import type { Wall } from "../lib/model/wall/wall.ts";

const WallEditor = lazy(async () => (await import("../components/wall/WallEditor.tsx")).WallEditor);

interface WallBoardProps {
  /** The walls as JSON: fields of other tools may have names that a prop cannot have, such as "__proto__". */
  walls: string;
  /** The streams in card order. */
  streams: WallStream[];
  /** The preferences until the viewer chooses. */
  defaults: GlobalPrefs;
  isLoginOn: boolean;
  header: HeaderFacts;
  publicAddress: PublicAddress;
}

/** The walls, each with several streams on one page for a screen, and their editor. */
export function WallBoard(props: WallBoardProps) {
  const { walls: first, streams: known, defaults, isLoginOn, header, publicAddress } = props;
  usePrefs(defaults);
  useKeptSession(isLoginOn);
  useArrowKeys({ stops: ".walls :is(.button, button)", isForAll: true });
  const toast = useToast();
  const all = useWalls(useMemo(() => JSON.parse(first), []), known, toast.show);
  const { walls, streams } = all;
  /** null: the list; "new": a wall that is not stored yet. */
  const [edited, setEdited] = useState<Wall | "new" | null>(null);
  const [dialog, setDialog] = useState<WallDialog | null>(null);
  const [isReady, setReady] = useState(false);
  const addButton = useRef<HTMLButtonElement>(null);
  useEffect(() => setReady(true), []);

  function saved(wall: Wall) {
    all.saved(wall, edited === "new");
    setEdited(null);
    setTimeout(() => document.querySelector<HTMLElement>(`#wall-${wall.id} .button`)?.focus());
  }

  function cancelled() {
    setEdited(null);
    setTimeout(() => addButton.current?.focus());
  }

  const isEditing = edited !== null;
  const card = (wall: Wall) => (
    <WallCard
      key={wall.id}
      wall={wall}
      streams={streams}
      isBusy={all.busy === wall.id}
      onEdit={() => setEdited(wall)}
      onShare={() => setDialog({ kind: "share", wall })}
      onChannel={() => setDialog({ kind: "channel", wall })}
      onDelete={() => setDialog({ kind: "delete", wall })}
    />
  );
  return (
    <>
      <PageHeader header={header}>
        {!isEditing && (
          <button
            type="button"
            class="js primary add"
            data-least="operator"
            aria-label="New wall"
            ref={addButton}
            onClick={() => setEdited("new")}
          >
            <Icon name="add" />
            <span>New wall</span>
          </button>
        )}
      </PageHeader>
      <main id="main" class="page" data-ready={isReady}>
        {isEditing
          ? (
            <WallEditor
              key={edited === "new" ? "" : edited.id}
              wall={edited === "new" ? null : edited}
              streams={streams}
              onSaved={saved}
              onCancel={cancelled}
              onFail={(message) => {
                all.setProblem(message);
                setEdited(null);
              }}
            />
          )
          : (
            <>
              <div class="walls-head">
                <h1>Walls</h1>
                <p class="hint">
                  Several streams on one screen. Open a wall on a TV or a kiosk: it plays without sound until
                  somebody chooses a picture.
                </p>
              </div>
              <ul class="walls">
                {card(wallOfRunning(streams))}
                {walls.map(card)}
                {walls.length === 0 && (
                  <li class="wall-none">
                    <p>
                      You have not made a wall yet. Choose rows and columns, and drag streams into the slots.
                    </p>
                    <button type="button" class="js" data-least="operator" onClick={() => setEdited("new")}>
                      <Icon name="add" />Make the first wall
                    </button>
                  </li>
                )}
              </ul>
            </>
          )}
      </main>
      {dialog && (
        <WallDialogs
          {...dialog}
          all={all}
          publicAddress={publicAddress}
          onClose={() => setDialog(null)}
        />
      )}
      <Toasts
        connection="up"
        problem={all.problem}
        announcement=""
        toast={toast}
        onDismiss={() => all.setProblem("")}
      />
    </>
  );
}
