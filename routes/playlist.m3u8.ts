/** For apps that go by the ending. */
export { handler } from "./playlist.m3u.ts";
