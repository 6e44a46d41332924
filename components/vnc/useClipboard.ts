import { useEffect, useState } from "preact/hooks";
import type { RemoteScreen } from "./remoteScreen.ts";

/**
 * The remote clipboard and this device's. What is copied there comes here where the browser lets us write; what was
 * copied here goes there at Ctrl+V, and only then: the remote page is not ours, and passwords pass this clipboard.
 * @returns the text last copied there.
 */
export function useClipboard(screen: RemoteScreen | null): [string, (text: string) => void] {
  const [text, setText] = useState("");

  useEffect(() => {
    if (!screen) return;
    screen.onClipboard = (text) => {
      setText(text);
      navigator.clipboard?.writeText(text).catch(() => {}); // the panel has it
    };
    screen.readLocal = () => navigator.clipboard.readText();
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

  return [text, setText];
}
