import { useTvKeys } from "../components/header/useArrowKeys.ts";

/** The arrow keys of a television, for a page that needs no other script. */
export function TvKeys() {
  useTvKeys();
  return null;
}
