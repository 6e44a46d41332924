/** The waiting news for one client of the feed. An outbox holds names only, so untaken news costs next to nothing. */
import { eventText } from "../door/event_stream.ts";
import type { Role } from "../role.ts";

/** The state of the streams, for all clients. */
export interface FeedNews {
  /** The version of the stream list. */
  version: string;
  /** By id: the status as JSON, as each role sees it, and the thumbnail's time. */
  streams: ReadonlyMap<string, { json: Readonly<Record<Role, string>>; thumbAt: number | undefined }>;
}

/** Events are sent together in pieces of so many characters, or a little more. */
const PIECE = 64 * 1024;

export class FeedOutbox {
  #news: FeedNews;
  #role: Role;
  #whole: Iterator<string> | null;
  #hasList = false;
  /** The changes of each stream. */
  #changed = new Map<string, "status" | "thumbnail">();

  /** Begins with the whole state. */
  constructor(news: FeedNews, role: Role) {
    this.#news = news;
    this.#role = role;
    this.#whole = wholeState(news, role);
  }

  noteList(): void {
    this.#hasList = true;
  }

  noteStatus(id: string): void {
    this.#changed.set(id, "status");
  }

  noteThumbnail(id: string): void {
    // the status has the thumbnail's time
    if (!this.#changed.has(id)) this.#changed.set(id, "thumbnail");
  }

  /** The next piece, from the streams' present state; "" when nothing is left. */
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
    for (const [id, what] of this.#changed) {
      this.#changed.delete(id);
      const stream = this.#news.streams.get(id);
      if (!stream) continue;
      if (what === "status") yield eventText("status", stream.json[this.#role]);
      else yield eventText("thumbnail", JSON.stringify({ id, thumbAt: stream.thumbAt ?? null }));
    }
  }
}

/** The whole state, an event of many lines that is made and sent in pieces: a thousand statuses are a megabyte. */
function* wholeState(news: FeedNews, role: Role): Generator<string> {
  yield `event: state\ndata: {"version":${JSON.stringify(news.version)},"statuses":{\n`;
  let comma = "";
  for (const id of [...news.streams.keys()]) {
    const stream = news.streams.get(id);
    if (!stream) continue; // deleted meanwhile
    yield `data: ${comma}${JSON.stringify(id)}:${stream.json[role]}\n`;
    comma = ",";
  }
  yield "data: }}\n\n";
}
