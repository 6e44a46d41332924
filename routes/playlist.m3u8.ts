/** The playlist for apps that need this ending. */
export { handler } from "./playlist.m3u.ts";
