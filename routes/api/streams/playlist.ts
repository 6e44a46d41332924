/** The playlist beside the API. */
export { handler } from "../../playlist.m3u.ts";
