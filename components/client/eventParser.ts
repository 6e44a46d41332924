/** An event of the server: its name, and its data as text. */
export interface ServerEvent {
  name: string;
  data: string;
}

/**
 * Reads server-sent events however their text is cut. Lines end with "\n", as our service writes them.
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class EventParser {
  #rest = "";
  #name = "";
  #data: string[] = [];
  /** Comments so far: signs of life. */
  comments = 0;

  /** The events that are complete now. */
  push(text: string): ServerEvent[] {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    return lines.flatMap((line) => this.#read(line) ?? []);
  }

  #read(line: string): ServerEvent | null {
    if (line !== "") {
      const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line)!;
      if (field === "event") this.#name = value;
      if (field === "data") this.#data.push(value);
      if (field === "") this.comments++;
      return null;
    }
    const event = this.#data.length > 0 ? { name: this.#name, data: this.#data.join("\n") } : null;
    this.#name = "";
    this.#data = [];
    return event;
  }
}
