import { Icon } from "../ui/Icon.tsx";
import { Menu } from "../ui/Menu.tsx";
import { MenuGroup, MenuItem } from "../ui/MenuItems.tsx";

const BUTTON_ID = "page-menu-button";

export type PageRequest = "settings" | "backup" | "playlist";

interface PageMenuProps {
  isOpen: boolean;
  onOpen: () => void;
  onClose: () => void;
  onAsk: (what: PageRequest) => void;
}

/** What belongs to the whole page rather than to one stream. */
export function PageMenu({ isOpen, onOpen, onClose, onAsk }: PageMenuProps) {
  const ask = (what: PageRequest) => () => {
    onClose();
    document.getElementById(BUTTON_ID)?.focus();
    onAsk(what);
  };
  return (
    <>
      <button
        type="button"
        class="js quiet square"
        id={BUTTON_ID}
        title="Menu"
        aria-label="Menu"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? "page-menu" : undefined}
        onClick={onOpen}
      >
        <Icon name="menu" />
      </button>
      {isOpen && (
        <Menu id="page-menu" label="Menu" opener={BUTTON_ID} onClose={onClose}>
          <MenuGroup label="Page">
            <MenuItem icon="tv" onChoose={ask("playlist")}>Playlist…</MenuItem>
            <MenuItem icon="settings" onChoose={ask("settings")}>Settings…</MenuItem>
            <MenuItem icon="backup" onChoose={ask("backup")}>Backup…</MenuItem>
          </MenuGroup>
        </Menu>
      )}
    </>
  );
}
