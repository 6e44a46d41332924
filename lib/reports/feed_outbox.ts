/** What one client of the feed is still to be told. It holds names only, so what nobody takes costs next to nothing. */
import { eventText } from "../http/event_stream.ts";

/** How the streams are, for all clients. */
export interface FeedNews {
  /** Of the stream list. */
  version: string;
  /** By id: the status as JSON, and the thumbnail's time. */
  streams: ReadonlyMap<string, { json: string; thumbAt: number | undefined }>;
}

/** Events are sent together in pieces of so many characters, or a little more. */
const PIECE = 64 * 1024;

export class FeedOutbox {
  #news: FeedNews;
  #whole: Iterator<string> | null;
  #hasList = false;
  #statuses = new Set<string>();
  #thumbnails = new Set<string>();

  /** Begins with all there is. */
  constructor(news: FeedNews) {
    this.#news = news;
    this.#whole = wholeState(news);
  }

  noteList(): void {
    this.#hasList = true;
  }

  noteStatus(id: string): void {
    this.#statuses.add(id);
    this.#thumbnails.delete(id); // its time is in the status
  }

  noteThumbnail(id: string): void {
    if (!this.#statuses.has(id)) this.#thumbnails.add(id);
  }

  /** The next piece, as the streams are now; "" when all is told. */
  take(): string {
    let piece = "";
    for (const text of this.#texts()) {
      piece += text;
      if (piece.length >= PIECE) break;
    }
    return piece;
  }

  *#texts(): Generator<string> {
    while (this.#whole) {
      const { done, value } = this.#whole.next();
      if (done) this.#whole = null;
      else yield value;
    }
    if (this.#hasList) {
      this.#hasList = false;
      yield eventText("list", JSON.stringify({ version: this.#news.version }));
    }
    for (const id of this.#statuses) {
      this.#statuses.delete(id);
      const stream = this.#news.streams.get(id);
      if (stream) yield eventText("status", stream.json);
    }
    for (const id of this.#thumbnails) {
      this.#thumbnails.delete(id);
      const stream = this.#news.streams.get(id);
      if (stream) yield eventText("thumbnail", JSON.stringify({ id, thumbAt: stream.thumbAt ?? null }));
    }
  }
}

/** One event of many lines, so that it is made and sent in pieces: a thousand statuses are a megabyte. */
function* wholeState(news: FeedNews): Generator<string> {
  yield `event: state\ndata: {"version":${JSON.stringify(news.version)},"statuses":{\n`;
  let comma = "";
  for (const id of [...news.streams.keys()]) {
    const stream = news.streams.get(id);
    if (!stream) continue; // deleted meanwhile
    yield `data: ${comma}${JSON.stringify(id)}:${stream.json}\n`;
    comma = ",";
  }
  yield "data: }}\n\n";
}
