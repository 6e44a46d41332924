/** The page of one start of a stream, as the parts that keep the page know it. */
import type { BrowserControl } from "../../browser/client.ts";
import type { Ground } from "../ground.ts";
import type { KeptStream } from "../kept_stream.ts";

export interface StartedPage {
  readonly live: KeptStream;
  readonly ground: Ground;
  /** The stream's browser, in each of its lives. */
  readonly browser: BrowserControl;
  /** The number of the stream's X display. */
  readonly display: number;
}
