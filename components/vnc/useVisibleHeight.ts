import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** Keeps an element above a phone's keyboard, which covers the page without making it smaller. */
export function useVisibleHeight(element: RefObject<HTMLElement>): void {
  useEffect(() => {
    const { visualViewport } = globalThis;
    if (!visualViewport) return;
    const fit = () => {
      const isCovered = visualViewport.scale === 1 && visualViewport.height < innerHeight - 1;
      element.current!.style.height = isCovered ? `${visualViewport.height}px` : "";
    };
    visualViewport.addEventListener("resize", fit);
    return () => visualViewport.removeEventListener("resize", fit);
  }, []);
}
