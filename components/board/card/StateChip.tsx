import type { StreamState } from "../../../lib/model/answers/status.ts";

/** A state as colour and word. */
export function StateChip({ state }: { state: StreamState }) {
  return <span class={`chip is-${state}`}>{state}</span>;
}
