import { Icon } from "../ui/Icon.tsx";

/** The board without streams: explains the service and offers to add a stream. */
export function EmptyState({ onAdd }: { onAdd: () => void }) {
  return (
    <div class="empty">
      <svg class="empty-art" viewBox="0 0 160 96" aria-hidden="true" focusable="false">
        <rect x="1.5" y="1.5" width="157" height="93" rx="9" />
        <path d="M1.5 20h157M12 11h.1M20 11h.1M28 11h.1M40 11h104" />
        <path class="lit" d="M68 40v34l28-17z" />
      </svg>
      <h1>Turn a web page into a channel</h1>
      <p>
        A dashboard, a departure board, a camera page: give its address, and it plays live on every screen
        that can play video.
      </p>
      <button type="button" class="js primary" data-least="operator" onClick={onAdd}>
        <Icon name="add" />Add the first page
      </button>
    </div>
  );
}
