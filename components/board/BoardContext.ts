import type { ReadonlySignal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Prefs } from "../prefs/usePrefs.ts";
import type { CardSelection } from "../select/useSelection.ts";
import type { OpenDialog } from "./openDialog.ts";
import type { BoardItem } from "./boardItems.ts";
import type { Board } from "./useBoard.ts";
import type { useCollapsed } from "./order/useCollapsed.ts";
import type { Filter } from "./filter/useFilter.ts";
import type { Overview } from "./useOverview.ts";
import type { StreamFigures, SystemFigures } from "../../lib/model/answers/shapes.ts";

/** The id of a stream whose menu is open, or PAGE_MENU or VIEW_MENU, which no stream's id can be. */
export type OpenMenu = string | null;
export const PAGE_MENU = "/";
export const VIEW_MENU = "/view";

/** The values that every part of the board can use without props. */
export interface BoardContextValue {
  board: Board;
  overview: ReadonlySignal<Overview>;
  /** The figures of each stream by id, as far as they are known. */
  figures: ReadonlySignal<Record<string, StreamFigures>>;
  /** The figures of the service and its machine. */
  system: ReadonlySignal<SystemFigures>;
  /** Every stream in card order. */
  items: BoardItem[];
  /** The shown streams in the order of the table's rows; null: the board has cards. */
  rows: readonly BoardItem[] | null;
  filter: Filter;
  collapsed: ReturnType<typeof useCollapsed>;
  selection: CardSelection;
  /** The present ids of the shown cards among which this card can be moved. */
  listOf: (id: string) => string[];
  /** The viewer's preferences for the page and its cards. */
  prefs: Prefs;
  /** Whether people have to log in. */
  isLoginOn: boolean;
  /** False while the server's HTML is shown: its ages are from the time of the request. */
  isReady: boolean;
  menu: OpenMenu;
  openMenu: (menu: OpenMenu) => void;
  openDialog: (dialog: OpenDialog) => void;
}

export const BoardContext = createContext<BoardContextValue | null>(null);

/** @throws {Error} outside of the board. */
export function useBoardContext(): BoardContextValue {
  const value = useContext(BoardContext);
  if (!value) throw new Error("this component is a part of the board");
  return value;
}
