import { useState } from "preact/hooks";
import type { PublicStream } from "../../../lib/model/schema.ts";
import { mayDo } from "../../client/mayDo.ts";
import { Menu } from "../../ui/Menu.tsx";
import { MenuGroup, MenuItem, MenuLink } from "../../ui/MenuItems.tsx";
import { isAtRest } from "../../../lib/model/answers/status.ts";
import { useBoardContext } from "../BoardContext.ts";
import { statusOf } from "../boardState.ts";
import { MENU_ID, menuButtonId } from "./CardActions.tsx";
import { cardLinks } from "./cardLinks.ts";

/** The actions on one stream that a role may take: nine entries at most; one of them opens the menu that moves the card. */
export function CardMenu({ stream }: { stream: PublicStream }) {
  const { board, prefs, openMenu, openDialog } = useBoardContext();
  const [isMoving, setMoving] = useState(false);
  const { id, name } = stream;
  const links = cardLinks(id, prefs.of(id));
  const button = menuButtonId(id);
  // a key may have opened the menu on the card, where the arrow keys then go on
  const [from] = useState(() => document.activeElement?.id === `stream-${id}` ? `stream-${id}` : button);
  const isBusy = board.busy.value.has(id);
  const { state, noRoom } = statusOf(stream, board.state.value.statuses);
  const isStopped = state === "stopped";
  const isOff = isAtRest(state);
  const isOperator = mayDo("operator");
  const close = () => openMenu(null);
  // The focus goes back before a dialog opens, so that the dialog can give it back there, too.
  const then = (action: () => void) => () => {
    close();
    document.getElementById(from)?.focus();
    action();
  };
  const ask = (kind: "edit" | "duplicate" | "share" | "recreate") => then(() => openDialog({ kind, stream }));

  const thumbnail = (
    <MenuItem
      icon="thumbnail"
      disabled={isOff}
      onChoose={then(() => board.captureThumbnail(stream))}
    >
      Refresh thumbnail
    </MenuItem>
  );
  if (isMoving) return <MoveMenu stream={stream} from={from} then={then} onClose={close} />;
  return (
    <Menu
      id={MENU_ID}
      label={`More for ${name}`}
      heading={name}
      opener={button}
      returnTo={from}
      onClose={close}
    >
      <MenuGroup label="Stream">
        {isOperator && <MenuItem icon="edit" onChoose={ask("edit")}>Edit…</MenuItem>}
        {isOperator && <MenuItem icon="duplicate" onChoose={ask("duplicate")}>Duplicate…</MenuItem>}
        <MenuItem icon="share" onChoose={ask("share")}>Share…</MenuItem>
        {isOperator && <MenuItem icon="move" onChoose={() => setMoving(true)}>Move…</MenuItem>}
        {!isOperator && thumbnail}
      </MenuGroup>
      {isOperator && (
        <MenuGroup label="Programs">
          <MenuItem
            icon="restart"
            disabled={isBusy}
            onChoose={then(() => board.run(stream, isStopped ? "start" : "restart", noRoom !== undefined))}
          >
            {noRoom ? "Start anyway" : isStopped ? "Start" : "Restart"}
          </MenuItem>
          <MenuItem icon="recreate" disabled={isBusy} onChoose={ask("recreate")}>Reset sign-in…</MenuItem>
          {thumbnail}
          <MenuLink icon="log" href={links.log} {...links.target} onChoose={then(() => {})}>Logs</MenuLink>
        </MenuGroup>
      )}
      {isOperator && (
        <MenuGroup label="Removal">
          <MenuItem icon="delete" isDangerous onChoose={then(() => board.remove([stream]))}>Delete</MenuItem>
        </MenuGroup>
      )}
    </Menu>
  );
}

interface MoveMenuProps {
  stream: PublicStream;
  /** The id of the element that gets the focus back. */
  from: string;
  then: (action: () => void) => () => void;
  onClose: () => void;
}

/** The moves of the card, for people that do not drag: a menu of its own, which gets the focus. */
function MoveMenu({ stream, from, then, onClose }: MoveMenuProps) {
  const { board, listOf } = useBoardContext();
  const list = listOf(stream.id);
  const position = list.indexOf(stream.id);
  const last = list.length - 1;
  const to = (place: number) => then(() => board.move(stream, place, list));
  return (
    <Menu
      key="move"
      id={MENU_ID}
      label={`Move ${stream.name}`}
      heading={`Move ${stream.name}`}
      opener={menuButtonId(stream.id)}
      returnTo={from}
      onClose={onClose}
    >
      <MenuGroup label="Order">
        <MenuItem icon="top" disabled={position === 0} onChoose={to(0)}>Move to top</MenuItem>
        <MenuItem icon="up" disabled={position === 0} onChoose={to(position - 1)}>Move up</MenuItem>
        <MenuItem icon="down" disabled={position === last} onChoose={to(position + 1)}>Move down</MenuItem>
        <MenuItem icon="bottom" disabled={position === last} onChoose={to(last)}>Move to end</MenuItem>
      </MenuGroup>
    </Menu>
  );
}
