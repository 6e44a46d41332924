import { mayDo } from "../client/mayDo.ts";
import { logOut } from "../login/logOut.ts";
import { Icon } from "../ui/Icon.tsx";
import { Menu } from "../ui/Menu.tsx";
import { MenuGroup, MenuItem, MenuLink } from "../ui/MenuItems.tsx";
import { PAGE_MENU, useBoardContext } from "./BoardContext.ts";

const BUTTON_ID = "page-menu-button";

/** The menu for the whole page rather than for one stream. */
export function PageMenu() {
  const { menu, isLoginOn, isNode, openMenu, openDialog } = useBoardContext();
  const isOpen = menu === PAGE_MENU;
  const close = () => openMenu(null);
  const ask = (kind: "playlist" | "settings" | "backup" | "logout") => () => {
    close();
    document.getElementById(BUTTON_ID)?.focus();
    openDialog({ kind });
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
        // a text: the server would leave a false out and write a true without its value
        aria-expanded={`${isOpen}`}
        aria-controls={isOpen ? "page-menu" : undefined}
        onClick={() => openMenu(PAGE_MENU)}
      >
        <Icon name="menu" />
      </button>
      {isOpen && (
        <Menu id="page-menu" label="Menu" opener={BUTTON_ID} onClose={close}>
          <MenuGroup label="Page">
            <MenuLink icon="wall" href="/wall" onChoose={close}>Walls</MenuLink>
            {mayDo("admin") && <MenuLink icon="bell" href="/messages" onChoose={close}>Messages</MenuLink>}
            {mayDo("admin") && <MenuLink href="/people" onChoose={close}>People</MenuLink>}
            {isNode && mayDo("operator") && <MenuLink href="/nodes" onChoose={close}>Nodes</MenuLink>}
            <MenuItem icon="tv" onChoose={ask("playlist")}>Playlist…</MenuItem>
            <MenuItem icon="settings" onChoose={ask("settings")}>Settings…</MenuItem>
            {mayDo("admin") && <MenuItem icon="backup" onChoose={ask("backup")}>Backup…</MenuItem>}
          </MenuGroup>
          {isLoginOn && (
            <MenuGroup label="Login">
              <MenuLink href="/password" onChoose={close}>Password</MenuLink>
              <MenuItem icon="logout" onChoose={() => logOut()}>Log out</MenuItem>
              <MenuItem onChoose={ask("logout")}>Log out everywhere…</MenuItem>
            </MenuGroup>
          )}
        </Menu>
      )}
    </>
  );
}
