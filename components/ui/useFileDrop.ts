import { useEffect, useRef, useState } from "preact/hooks";

/**
 * Takes a file that is dropped anywhere in the window, where the browser would otherwise open it in the page's place.
 * @returns whether a file is over the window.
 */
export function useFileDrop(onFile: (file: File) => void): boolean {
  const latest = useRef(onFile);
  latest.current = onFile;
  const [isOver, setOver] = useState(false);

  useEffect(() => {
    const hasFile = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") ?? false;
    function over(event: DragEvent) {
      if (!hasFile(event)) return;
      event.preventDefault();
      setOver(true);
    }
    function leave({ relatedTarget }: DragEvent) {
      if (relatedTarget === null) setOver(false); // the pointer left the window, not only an element
    }
    function drop(event: DragEvent) {
      if (!hasFile(event)) return;
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer!.files[0];
      if (file) latest.current(file);
    }
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);

  return isOver;
}
