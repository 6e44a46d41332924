import { useEffect, useRef, useState } from "preact/hooks";
import { api, problemOf } from "../components/client/api.ts";
import { useKeptSession } from "../components/client/useKeptSession.ts";
import type { GlobalPrefs } from "../components/prefs/prefs.ts";
import { usePrefs } from "../components/prefs/usePrefs.ts";
import { ConfirmDialog } from "../components/ui/ConfirmDialog.tsx";
import { Icon } from "../components/ui/Icon.tsx";
import { lazy } from "../components/ui/lazy.tsx";
import { PageHeader } from "../components/ui/PageHeader.tsx";
import { Toasts } from "../components/ui/Toasts.tsx";
import { useArrowKeys } from "../components/wall/useArrowKeys.ts";
import { useToast } from "../components/ui/useToast.ts";
import { WallCard } from "../components/wall/WallCard.tsx";
import {
  channelOfWall,
  channelsOfWall,
  wallOfRunning,
  type WallStream,
} from "../components/wall/wallStreams.ts";
import type { Wall } from "../lib/streams/wall.ts";

const WallEditor = lazy(async () => (await import("../components/wall/WallEditor.tsx")).WallEditor);

interface WallBoardProps {
  /** The walls as JSON: fields of other tools may have names that a prop cannot have, such as "__proto__". */
  walls: string;
  /** In card order. */
  streams: WallStream[];
  /** What holds until the viewer chooses. */
  defaults: GlobalPrefs;
  isLoginOn: boolean;
}

/** The walls: several streams on one page each, for a screen; and where they are made. */
export function WallBoard({ walls: first, streams: known, defaults, isLoginOn }: WallBoardProps) {
  usePrefs(defaults);
  useKeptSession(isLoginOn);
  useArrowKeys();
  const [walls, setWalls] = useState<Wall[]>(() => JSON.parse(first));
  const [streams, setStreams] = useState(known);
  /** null: the list; "new": a wall that is not stored yet. */
  const [edited, setEdited] = useState<Wall | "new" | null>(null);
  const [deleted, setDeleted] = useState<Wall | null>(null);
  const [busy, setBusy] = useState("");
  const [problem, setProblem] = useState("");
  const [isReady, setReady] = useState(false);
  const addButton = useRef<HTMLButtonElement>(null);
  const toast = useToast();
  useEffect(() => setReady(true), []);

  function saved(wall: Wall) {
    const isNew = edited === "new";
    setWalls((all) => isNew ? [...all, wall] : all.map((one) => one.id === wall.id ? wall : one));
    setEdited(null);
    toast.show(`“${wall.name}” is saved. Screens that show it follow within seconds.`);
    setTimeout(() => document.querySelector<HTMLElement>(`#wall-${wall.id} .button`)?.focus());
  }

  function cancelled() {
    setEdited(null);
    setTimeout(() => addButton.current?.focus());
  }

  async function makeChannel(wall: Wall) {
    setBusy(wall.id);
    setProblem("");
    try {
      const { id, name, group, url } = await api.create(channelOfWall(wall));
      setStreams((all) => [...all, { id, name, group, url, isOn: true }]);
      toast.show(`“${name}” is a stream now, and starts.`);
    } catch (error) {
      setProblem(`“${wall.name}” was not made a channel. ${problemOf(error)}`);
    }
    setBusy("");
  }

  async function remove(wall: Wall) {
    await api.removeWall(wall.id);
    setWalls((all) => all.filter(({ id }) => id !== wall.id));
  }

  const isEditing = edited !== null;
  const card = (wall: Wall) => (
    <WallCard
      key={wall.id}
      wall={wall}
      streams={streams}
      isBusy={busy === wall.id}
      onEdit={() => setEdited(wall)}
      onChannel={() => makeChannel(wall)}
      onDelete={() => setDeleted(wall)}
    />
  );
  return (
    <>
      <PageHeader>
        <a class="button quiet to-streams" href="/">
          <Icon name="back" />
          <span>Streams</span>
        </a>
        {!isEditing && (
          <button
            type="button"
            class="js primary add"
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
                setProblem(message);
                setEdited(null);
              }}
            />
          )
          : (
            <>
              <div class="walls-head">
                <h1>Walls</h1>
                <p class="hint">
                  Several streams on one screen. Open a wall on a TV or a kiosk: it plays what is in sight,
                  without sound until somebody chooses a picture.
                </p>
              </div>
              <ul class="walls">
                {card(wallOfRunning(streams))}
                {walls.map(card)}
                {walls.length === 0 && (
                  <li class="wall-none">
                    <p>No wall of your own yet. Choose rows and columns, and drag streams into the slots.</p>
                    <button type="button" class="js" onClick={() => setEdited("new")}>
                      <Icon name="add" />Make the first wall
                    </button>
                  </li>
                )}
              </ul>
            </>
          )}
      </main>
      {deleted && (
        <ConfirmDialog
          id="delete-wall"
          title={`Delete “${deleted.name}”?`}
          keep="Keep it"
          action="Delete"
          acting="Deleting…"
          failed="It was not deleted."
          onConfirm={() => remove(deleted)}
          onClose={() => setDeleted(null)}
        >
          Screens that show it say that it is gone. {channelsOfWall(deleted.id, streams).length > 0
            ? "Its channel shows nothing any more; delete that among the streams, too."
            : "The streams on it stay as they are."}
        </ConfirmDialog>
      )}
      <Toasts
        connection="up"
        problem={problem}
        announcement=""
        toast={toast.text.value}
        onDismiss={() => setProblem("")}
      />
    </>
  );
}
