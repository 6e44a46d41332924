import { useEffect, useState } from "preact/hooks";
import { pasteProblem } from "../../lib/model/paste.ts";
import type { RemoteScreen } from "./remoteScreen.ts";

/** The clipboard's panel and its text. */
export interface Clipboard {
  /** The text that was last copied on the remote page, or is to be pasted there. */
  text: string;
  setText(text: string): void;
  isOpen: boolean;
  open(isOpen: boolean): void;
}

/**
 * The remote clipboard and this device's. A remotely copied text comes to this device where the browser lets us write;
 * a text of this device goes to the remote page at Ctrl+V only: that page is not ours, and passwords are copied here.
 * @param onProblem says why a text was not pasted; "": one was. It stays the same function.
 */
export function useClipboard(screen: RemoteScreen | null, onProblem: (problem: string) => void): Clipboard {
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);

  useEffect(() => {
    if (!screen) return;
    screen.onClipboard = (text) => {
      setText(text);
      navigator.clipboard?.writeText(text).catch(() => {}); // the panel has the text
    };
    screen.readLocal = () => navigator.clipboard.readText();
    screen.mayPaste = (text) => {
      const problem = pasteProblem(text);
      onProblem(problem);
      return problem === "";
    };
    let permission: PermissionStatus | undefined;
    let isOver = false;
    const follow = () => screen.mayReadLocal = permission?.state === "granted";
    // Chromium's name; other browsers have no such permission and ask every time
    navigator.permissions?.query({ name: "clipboard-read" as PermissionName }).then((found) => {
      if (isOver) return;
      permission = found;
      permission.addEventListener("change", follow);
      follow();
    }).catch(() => {});
    return () => {
      isOver = true;
      permission?.removeEventListener("change", follow);
    };
  }, [screen]);

  /** Opens or closes the panel; a problem with an earlier text is no longer shown. */
  function open(isOpen: boolean) {
    if (isOpen) onProblem("");
    setOpen(isOpen);
  }

  return { text, setText, isOpen, open };
}
