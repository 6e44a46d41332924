import { CARD_SIZE_WORDS, CARD_SIZES } from "../prefs/cardSize.ts";
import { Icon } from "../ui/Icon.tsx";
import { Menu } from "../ui/Menu.tsx";
import { MenuGroup, MenuRadio } from "../ui/MenuItems.tsx";
import { useBoardContext, VIEW_MENU } from "./BoardContext.ts";

const BUTTON_ID = "view-menu-button";

/** The choice of the streams' view: cards of four sizes, or rows of a table. */
export function ViewMenu() {
  const { prefs, menu, openMenu } = useBoardContext();
  const isOpen = menu === VIEW_MENU;
  return (
    <>
      <button
        type="button"
        class="js board-button"
        id={BUTTON_ID}
        title="Size of the cards, or a table"
        aria-haspopup="menu"
        // a text: the server would leave a false out and write a true without its value
        aria-expanded={`${isOpen}`}
        aria-controls={isOpen ? "view-menu" : undefined}
        onClick={() => openMenu(VIEW_MENU)}
      >
        <Icon name="view" />
        <span>View</span>
      </button>
      {isOpen && (
        <Menu id="view-menu" label="View" opener={BUTTON_ID} onClose={() => openMenu(null)}>
          <MenuGroup label="Card size">
            {CARD_SIZES.map((cardSize) => (
              <MenuRadio
                key={cardSize}
                isOn={prefs.general.cardSize === cardSize}
                onChoose={() => prefs.setGeneral({ cardSize })}
              >
                {CARD_SIZE_WORDS[cardSize]}
              </MenuRadio>
            ))}
          </MenuGroup>
        </Menu>
      )}
    </>
  );
}
