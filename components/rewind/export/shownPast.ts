import type { ReadonlySignal } from "@preact/signals";
import type { Range } from "../past.ts";
import type { Zoom } from "../windows.ts";

/** What the page shows of the past. */
export interface ShownPast {
  /** Unix time in s. */
  now: ReadonlySignal<number>;
  /** Null: the newest. */
  moment: ReadonlySignal<number | null>;
  zoom: ReadonlySignal<Zoom>;
  window: ReadonlySignal<Range>;
  kept: ReadonlySignal<Range | null | undefined>;
  /** Shows a sentence for some seconds. */
  say: (text: string) => void;
}
