import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { nextItem } from "./menuKeys.ts";
import { placeBeside } from "./popoverPosition.ts";

interface MenuProps {
  id: string;
  label: string;
  /** What a sheet says above its entries: beside a button it is seen what it is about. */
  heading?: string;
  /** The id of the button that it belongs to: the menu appears there. */
  opener: string;
  /** The id of what the focus goes back to, if that is not the button. */
  returnTo?: string;
  onClose: () => void;
  children: ComponentChildren;
}

/**
 * A menu of actions as in the menu button pattern: arrow keys, Home, End and first letters move, Escape and Tab
 * close (https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/). A sheet on the lower edge of a phone.
 */
export function Menu({ id, label, heading, opener, returnTo = opener, onClose, children }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const closing = useRef(onClose);
  closing.current = onClose;
  const items = () => [...menu.current!.querySelectorAll<HTMLElement>("[role^=menuitem]")];

  useLayoutEffect(() => {
    const button = document.getElementById(opener);
    if (button) placeBeside(menu.current!, button);
    const placed = button?.getBoundingClientRect();
    items()[0]?.focus({ preventScroll: true });
    const close = ({ type, target }: Event) => {
      if (target instanceof Node && menu.current?.contains(target)) return;
      // of a key just before: a page scrolls at once, and tells it with the next frame
      if (type === "scroll" && placed && isAt(button!, placed)) return;
      closing.current();
      document.getElementById(returnTo)?.focus({ preventScroll: true });
    };
    // The button would move away from under the menu.
    addEventListener("scroll", close, true);
    addEventListener("resize", close);
    return () => {
      removeEventListener("scroll", close, true);
      removeEventListener("resize", close);
    };
  }, [opener, returnTo]);

  /** The pointer and the keys share one current item. */
  function pointerMove({ target }: PointerEvent) {
    const item = (target as Element).closest<HTMLElement>("[role^=menuitem]");
    if (item && item !== document.activeElement) item.focus({ preventScroll: true });
  }

  function leave() {
    onClose();
    document.getElementById(returnTo)?.focus();
  }

  function keyDown(event: KeyboardEvent) {
    if (event.key === "Tab") return leave(); // from the button, the browser goes on to what is next
    if (event.key === "Escape") {
      event.preventDefault();
      return leave();
    }
    // buttons do this themselves; links scroll the page
    if (event.key === " " && event.target instanceof HTMLAnchorElement) {
      event.preventDefault();
      return event.target.click();
    }
    const all = items();
    const next = nextItem(
      event,
      all.map((item) => item.textContent ?? ""),
      all.indexOf(event.target as HTMLElement),
    );
    if (next === null) return;
    event.preventDefault();
    all[next].focus();
  }

  return (
    <>
      <div class="veil" onClick={leave} onContextMenu={(event) => event.preventDefault()} />
      <div
        id={id}
        class="menu"
        role="menu"
        aria-label={label}
        ref={menu}
        onKeyDown={keyDown}
        onPointerMove={pointerMove}
      >
        {/* the label says it to screen readers */}
        {heading && <p class="menu-heading" aria-hidden="true">{heading}</p>}
        {children}
      </div>
    </>
  );
}

function isAt(element: HTMLElement, { left, top }: DOMRect): boolean {
  const now = element.getBoundingClientRect();
  return now.left === left && now.top === top;
}
