import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { nextItem } from "./menuKeys.ts";
import { placeBeside } from "./popoverPosition.ts";

interface MenuProps {
  id: string;
  label: string;
  /** The heading of a sheet: a menu beside its button needs none. */
  heading?: string;
  /** The id of the menu's button: the menu appears there. */
  opener: string;
  /** The id of the element that gets the focus back, if it is not the button. */
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
      // the scroll of an earlier key: a page scrolls at once, and its event comes with the next frame
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
    if (event.key === "Tab") return leave(); // the browser goes on from the button to the next element
    if (event.key === "Escape") {
      event.preventDefault();
      return leave();
    }
    // buttons click on Space themselves; links scroll the page
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
        {/* screen readers read the label instead */}
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
