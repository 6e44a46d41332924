import type { ReadonlySignal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Prefs } from "../prefs/usePrefs.ts";
import type { OpenDialog } from "./openDialog.ts";
import type { Board } from "./useBoard.ts";
import type { Overview } from "./useOverview.ts";

/** The id of a stream whose menu is open, or `PAGE_MENU`, which no stream's id can be. */
export type OpenMenu = string | null;
export const PAGE_MENU = "/";

/** What every part of the board can use without its being handed down as props. */
export interface BoardContextValue {
  board: Board;
  overview: ReadonlySignal<Overview>;
  /** How this viewer likes the page and its cards. */
  prefs: Prefs;
  /** Whether people have to log in. */
  isLoginOn: boolean;
  /** False while the server's HTML is shown: ages then are those of the request. */
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
