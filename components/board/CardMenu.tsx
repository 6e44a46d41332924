import type { PublicStream } from "../../lib/streams/schema.ts";
import type { StreamState } from "../../lib/streams/status.ts";
import type { Command } from "../client/api.ts";
import { Menu } from "../ui/Menu.tsx";
import { MenuCheck, MenuGroup, MenuItem, MenuLink } from "../ui/MenuItems.tsx";
import type { CardPrefs } from "../prefs/prefs.ts";
import { MENU_ID, menuButtonId } from "./CardActions.tsx";
import type { Address, CardLinks } from "./cardLinks.ts";

/** What the menu asks the page to do; most of it opens a dialog. */
export type CardRequest = "edit" | "duplicate" | "recreate" | "delete";

interface CardMenuProps {
  stream: PublicStream;
  state: StreamState;
  links: CardLinks;
  addresses: Address[];
  prefs: Required<CardPrefs>;
  busy?: Command;
  /** Counted from 0, of so many. */
  place: number;
  count: number;
  onClose: () => void;
  onAsk: (what: CardRequest) => void;
  onCommand: (command: Command) => void;
  onAutoReload: (isOn: boolean) => void;
  onPicture: () => void;
  onCopy: (address: Address) => void;
  onMove: (place: number) => void;
  onPrefs: (change: CardPrefs) => void;
}

/** All that can be done with one stream. */
export function CardMenu(props: CardMenuProps) {
  const { stream, state, links, place, count, prefs, onClose, onAsk, onMove, onPrefs } = props;
  const button = menuButtonId(stream.id);
  // The focus goes back to the button before anything opens, so that a dialog can give it back there too.
  const then = (action: () => void) => () => {
    onClose();
    document.getElementById(button)?.focus();
    action();
  };
  const isStopped = state === "stopped";
  return (
    <Menu id={MENU_ID} label={`More for ${stream.name}`} opener={button} onClose={onClose}>
      <MenuGroup label="Stream">
        <MenuItem icon="edit" onChoose={then(() => onAsk("edit"))}>Edit…</MenuItem>
        <MenuItem icon="duplicate" onChoose={then(() => onAsk("duplicate"))}>Duplicate…</MenuItem>
        <MenuItem icon="restart" disabled={!!props.busy} onChoose={then(() => props.onCommand("restart"))}>
          {isStopped ? "Start" : "Restart"}
        </MenuItem>
        <MenuItem icon="recreate" disabled={!!props.busy} onChoose={then(() => onAsk("recreate"))}>
          Recreate…
        </MenuItem>
        <MenuItem icon="picture" disabled={isStopped} onChoose={then(props.onPicture)}>
          Refresh picture
        </MenuItem>
        <MenuCheck isOn={stream.autoReload} onChange={props.onAutoReload}>
          Auto-reload every {stream.autoReloadInterval} min
        </MenuCheck>
      </MenuGroup>
      <MenuGroup label="Addresses">
        {props.addresses.map((address) => (
          <MenuItem
            key={address.label}
            icon="link"
            onChoose={then(() => props.onCopy(address))}
          >
            Copy {address.label}
          </MenuItem>
        ))}
        <MenuLink
          icon="external"
          href={stream.url}
          target="_blank"
          rel="noreferrer"
          onChoose={then(() => {})}
        >
          Open the page itself
        </MenuLink>
        <MenuLink icon="log" href={links.log} {...links.target} onChoose={then(() => {})}>Logs</MenuLink>
      </MenuGroup>
      <MenuGroup label="Order">
        <MenuItem icon="top" disabled={place === 0} onChoose={then(() => onMove(0))}>Move to top</MenuItem>
        <MenuItem icon="up" disabled={place === 0} onChoose={then(() => onMove(place - 1))}>Move up</MenuItem>
        <MenuItem icon="down" disabled={place === count - 1} onChoose={then(() => onMove(place + 1))}>
          Move down
        </MenuItem>
      </MenuGroup>
      <MenuGroup label="Links of this card">
        <MenuCheck isOn={prefs.pureMode} onChange={(pureMode) => onPrefs({ pureMode })}>Pure mode</MenuCheck>
        <MenuCheck isOn={prefs.openNewTab} onChange={(openNewTab) => onPrefs({ openNewTab })}>
          Open in new tab
        </MenuCheck>
      </MenuGroup>
      <MenuGroup label="Removal">
        <MenuItem icon="delete" isDangerous onChoose={then(() => onAsk("delete"))}>Delete…</MenuItem>
      </MenuGroup>
    </Menu>
  );
}
