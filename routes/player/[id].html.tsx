/** The same page as /api/player-html/{id}. */
export { handler } from "../api/player-html/[id].tsx";
