import { mayDo } from "../client/mayDo.ts";
import { Icon } from "../ui/Icon.tsx";
import { Menu } from "../ui/Menu.tsx";
import { MenuGroup, MenuItem } from "../ui/MenuItems.tsx";
import { PAGE_MENU, useBoardContext } from "./BoardContext.ts";

const BUTTON_ID = "page-menu-button";

/** The menu for the whole board rather than for one stream. */
export function PageMenu() {
  const { menu, openMenu, openDialog } = useBoardContext();
  const isOpen = menu === PAGE_MENU;
  const close = () => openMenu(null);
  const ask = (kind: "playlist" | "settings" | "backup") => () => {
    close();
    document.getElementById(BUTTON_ID)?.focus();
    openDialog({ kind });
  };
  return (
    <>
      <button
        type="button"
        class="js quiet page-menu"
        id={BUTTON_ID}
        title="Playlist, settings, backup"
        aria-haspopup="menu"
        // a text: the server would leave a false out and write a true without its value
        aria-expanded={`${isOpen}`}
        aria-controls={isOpen ? "page-menu" : undefined}
        onClick={() => openMenu(PAGE_MENU)}
      >
        <Icon name="menu" />
        <span>Menu</span>
      </button>
      {isOpen && (
        <Menu id="page-menu" label="Menu" opener={BUTTON_ID} onClose={close}>
          <MenuGroup label="Page">
            <MenuItem icon="tv" onChoose={ask("playlist")}>Playlist…</MenuItem>
            <MenuItem icon="settings" onChoose={ask("settings")}>Settings…</MenuItem>
            {mayDo("admin") && <MenuItem icon="backup" onChoose={ask("backup")}>Backup…</MenuItem>}
          </MenuGroup>
        </Menu>
      )}
    </>
  );
}
