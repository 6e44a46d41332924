import type { PublicStream } from "../../lib/streams/schema.ts";
import type { PublicAddress } from "../playlist/playlistAddress.ts";
import { copyText } from "../ui/copyText.ts";
import { Menu } from "../ui/Menu.tsx";
import { MenuCheck, MenuGroup, MenuItem, MenuLink } from "../ui/MenuItems.tsx";
import { useBoardContext } from "./BoardContext.ts";
import { statusOf } from "./boardState.ts";
import { MENU_ID, menuButtonId } from "./CardActions.tsx";
import { type Address, addressesOf, cardLinks } from "./cardLinks.ts";

interface CardMenuProps {
  stream: PublicStream;
  publicAddress: PublicAddress;
  rtmpPort: number | null;
}

/** All that can be done with one stream. */
export function CardMenu({ stream, publicAddress, rtmpPort }: CardMenuProps) {
  const { board, prefs, listOf, openMenu, openDialog } = useBoardContext();
  const { id } = stream;
  const { statuses } = board.state.value;
  const links = cardLinks(id, prefs.of(id));
  const addresses = addressesOf(
    stream,
    publicAddress.isSet ? publicAddress.origin : location.origin,
    rtmpPort,
  );
  const list = listOf(id);
  const position = list.indexOf(id);
  const button = menuButtonId(id);
  const isBusy = board.busy.value.has(id);
  const isStopped = statusOf(stream, statuses).state === "stopped";
  const close = () => openMenu(null);
  // The focus goes back to the button before anything opens, so that a dialog can give it back there too.
  const then = (action: () => void) => () => {
    close();
    document.getElementById(button)?.focus();
    action();
  };
  const ask = (kind: "edit" | "duplicate" | "recreate" | "delete") =>
    then(() => openDialog({ kind, stream }));
  const moveTo = (position: number) => then(() => board.move(stream, position, list));

  async function copy(address: Address) {
    if (await copyText(address.text)) board.toast.show(`The ${address.label} is copied.`);
    else openDialog({ kind: "address", address });
  }

  return (
    <Menu id={MENU_ID} label={`More for ${stream.name}`} opener={button} onClose={close}>
      <MenuGroup label="Stream">
        <MenuItem icon="edit" onChoose={ask("edit")}>Edit…</MenuItem>
        <MenuItem icon="duplicate" onChoose={ask("duplicate")}>Duplicate…</MenuItem>
        <MenuItem icon="restart" disabled={isBusy} onChoose={then(() => board.run(stream, "restart"))}>
          {isStopped ? "Start" : "Restart"}
        </MenuItem>
        <MenuItem icon="recreate" disabled={isBusy} onChoose={ask("recreate")}>Recreate…</MenuItem>
        <MenuItem icon="thumbnail" disabled={isStopped} onChoose={then(() => board.captureThumbnail(stream))}>
          Refresh thumbnail
        </MenuItem>
        <MenuCheck isOn={stream.autoReload} onChange={(isOn) => board.setAutoReload(stream, isOn)}>
          Auto-reload every {stream.autoReloadInterval} min
        </MenuCheck>
      </MenuGroup>
      <MenuGroup label="Addresses">
        {addresses.map((address) => (
          <MenuItem
            key={address.label}
            icon="link"
            onChoose={then(() => copy(address))}
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
        <MenuItem icon="top" disabled={position === 0} onChoose={moveTo(0)}>Move to top</MenuItem>
        <MenuItem icon="up" disabled={position === 0} onChoose={moveTo(position - 1)}>Move up</MenuItem>
        <MenuItem icon="down" disabled={position === list.length - 1} onChoose={moveTo(position + 1)}>
          Move down
        </MenuItem>
      </MenuGroup>
      <MenuGroup label="Links of this card">
        <MenuCheck isOn={prefs.of(id).pureMode} onChange={(pureMode) => prefs.setCard(id, { pureMode })}>
          Pure mode
        </MenuCheck>
        <MenuCheck
          isOn={prefs.of(id).openNewTab}
          onChange={(openNewTab) => prefs.setCard(id, { openNewTab })}
        >
          Open in new tab
        </MenuCheck>
      </MenuGroup>
      <MenuGroup label="Removal">
        <MenuItem icon="delete" isDangerous onChoose={ask("delete")}>Delete…</MenuItem>
      </MenuGroup>
    </Menu>
  );
}
