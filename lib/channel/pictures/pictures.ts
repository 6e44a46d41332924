/** The streams' displays as pictures that go on (MJPEG), for home automation and small displays. */
import { badInput } from "../../errors.ts";
import type { StreamId } from "../../model/id.ts";
import { MAX_PICTURE_RATE } from "../../display/screen_grabs.ts";
import { liveHead } from "../relay/answer_viewer.ts";
import type { Channels } from "../channel.ts";
import { openChannel } from "../watched_door.ts";
import type { Watcher } from "../watchers.ts";
import { MOTION, PictureViewer } from "./picture_relay.ts";

/** Pictures a second: what `?fps=` may be, and without it. */
const [MIN_FPS, USUAL_FPS] = [1, 2];

/** The rate that `?fps=` asks for. @throws {ServiceError} 400 when there is none of that name. */
export function chosenRate(query: URLSearchParams): number {
  const text = query.get("fps") || String(USUAL_FPS);
  const fps = /^\d$/.test(text) ? Number(text) : 0;
  if (fps < MIN_FPS || fps > MAX_PICTURE_RATE) {
    throw badInput({ fps: `fps is a whole number from ${MIN_FPS} to ${MAX_PICTURE_RATE}. Example: ?fps=2` });
  }
  return fps;
}

export class Pictures {
  #channels: Channels;

  constructor(channels: Channels) {
    this.#channels = channels;
  }

  /** The answer to GET or HEAD for a stream's pictures: it goes on as long as the channel does. */
  answer(request: Request, id: StreamId, watcher: Watcher, fps: number): Response {
    const channel = openChannel(this.#channels, "pictures", id);
    if (channel instanceof Response) return channel;
    if (request.method === "HEAD") return liveHead(MOTION);
    const { pictures } = channel;
    const viewer: PictureViewer = new PictureViewer(pictures.partsOf(() => viewer), MOTION, fps);
    pictures.add(viewer, watcher);
    return viewer.response;
  }
}
