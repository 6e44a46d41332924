/** The streams' displays as pictures that go on (MJPEG), for home automation and small displays. */
import { badInput } from "../../errors.ts";
import type { StreamId } from "../../model/id.ts";
import type { Stream } from "../../model/schema.ts";
import { MAX_PICTURE_RATE } from "../../pipeline/screen_grabs.ts";
import { liveHead } from "../relay/answer_viewer.ts";
import { type Watcher, Watching, type WatchingParts } from "../relay/watching.ts";
import { MOTION, PictureRelay, PictureViewer } from "./picture_relay.ts";

export interface PicturesParts extends WatchingParts {
  /** The unchecked bytes of JPEGs of a stream's display. */
  watchDisplay(
    id: StreamId,
    resolution: string,
    fps: number,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array<ArrayBuffer>>;
  stream(id: StreamId): Stream | undefined;
}

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

/** Milliseconds from the last viewer to the end: a grab takes more than a relay. */
const LINGER_MS = 1000;

export class Pictures extends Watching<PictureViewer> {
  constructor(parts: PicturesParts) {
    const { watchDisplay, stream, elapsed } = parts;
    super(
      parts,
      (id) =>
        // the size of now: another one comes with another display
        new PictureRelay((fps, signal) => watchDisplay(id, stream(id)!.resolution, fps, signal), elapsed),
      LINGER_MS,
    );
  }

  /** The answer to GET or HEAD for a stream's pictures: it goes on as long as the channel does. */
  answer(request: Request, id: StreamId, watcher: Watcher, fps: number): Response {
    const refusal = this.refusal(id);
    if (refusal) return refusal;
    if (request.method === "HEAD") return liveHead(MOTION);
    const viewer: PictureViewer = new PictureViewer(this.partsOf(id, () => viewer), MOTION, fps);
    this.add(id, viewer, watcher);
    return viewer.response;
  }
}
