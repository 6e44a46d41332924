import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../ui/Icon.tsx";
import { useBoardContext } from "../BoardContext.ts";
import { isFiltering } from "./filter.ts";

/** Finds streams by name, group or address. The key / leads to this field. */
export function FilterBox() {
  const { items, filter } = useBoardContext();
  const found = items.filter(({ isShown }) => isShown).length;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) {
        return;
      }
      if (document.querySelector("dialog[open], [role=menu]")) return;
      event.preventDefault();
      input.current!.select();
      input.current!.focus();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
  return (
    <form
      class="filter"
      role="search"
      tabIndex={-1}
      action="/"
      onSubmit={(event) => event.preventDefault()}
    >
      <Icon name="search" />
      <label class="hidden" for="filter">Filter by name, group or address</label>
      <input
        id="filter"
        name="q"
        type="search"
        ref={input}
        value={filter.current.text}
        placeholder="Filter"
        title="Filter by name, group or address (key: /)"
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => filter.set({ text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          if (filter.current.text) filter.set({ text: "" });
          else event.currentTarget.blur();
        }}
      />
      <kbd aria-hidden="true">/</kbd>
      <span class="found" role="status">
        {isFiltering(filter.current) && `${found} of ${items.length}`}
        {isFiltering(filter.current) && <span class="hidden">shown</span>}
      </span>
    </form>
  );
}

const isTyping = (target: EventTarget | null) =>
  target instanceof Element && target.matches("input:not([type=radio], [type=checkbox]), textarea, select");
