import { useBoardContext } from "../board/BoardContext.ts";
import { Icon } from "../ui/Icon.tsx";

/** The id of the control that selects a card. */
export const pickId = (id: string) => `pick-${id}`;

/** Selects a card; with Shift, all cards from the last selected card. */
export function PickButton({ id, name }: { id: string; name: string }) {
  const { selection, isReady } = useBoardContext();
  // it does nothing without the script, so the first paint need not wait for it
  if (!isReady) return null;
  return (
    <button
      type="button"
      class="pick"
      data-least="operator"
      id={pickId(id)}
      role="checkbox"
      // a text: the server would leave a false out and write a true without its value
      aria-checked={`${selection.has(id)}`}
      aria-label={`Select ${name}`}
      title="Select (Shift: up to here)"
      onClick={(event) => selection.pick(id, event.shiftKey)}
    >
      <Icon name="check" />
    </button>
  );
}
