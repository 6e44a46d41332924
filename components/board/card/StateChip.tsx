import type { StreamState } from "../../../lib/model/answers/status.ts";

/** A state as a colour and a word. */
export function StateChip({ state }: { state: StreamState }) {
  return <span class={`chip is-${state}`}>{state}</span>;
}
