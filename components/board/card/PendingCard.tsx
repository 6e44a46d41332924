import { streamLinks } from "../../../lib/model/links.ts";
import type { PendingStream } from "../boardState.ts";
import { StateChip } from "./StateChip.tsx";

/**
 * A card until the list is there. Its height is final, since its rows have the classes of a StreamCard's. The server
 * writes a thousand such cards at once, so the card has few elements and no hooks.
 */
export function PendingCard({ id, name, state }: Pick<PendingStream, "id" | "name" | "state">) {
  return (
    <li class={`card is-${state} is-pending`} id={`stream-${id}`}>
      <div class="screen" />
      <div class="card-body">
        <h2>
          <a href={streamLinks(id).player}>{name}</a>
        </h2>
        <p class="card-state">
          <StateChip state={state} />
        </p>
        <p class="card-page">&nbsp;</p>
        <div class="beats" />
        <div class="card-actions">
          <span class="action" />
        </div>
      </div>
    </li>
  );
}
