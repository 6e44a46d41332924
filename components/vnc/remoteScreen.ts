/** The functions that static/api/webvnc/client.js offers to the page around its frame. */
export interface RemoteScreen {
  /** Makes a new connection; calls `onConnect`, then `onClose`, or `onClose` alone. */
  connect(token: string): void;
  /** Ends the connection without a call of `onClose`. */
  disconnect(): void;
  /** Presses Backspace `erase` times, then types the text; a long one is pasted. */
  type(text: string, erase?: number): void;
  /** Puts a text on the remote clipboard and presses Ctrl+V, unless `mayPaste` refuses the text. */
  pasteNow(text: string): void;
  /** Sends the keys from now on to the remote page. */
  focus(): void;
  setViewOnly(isOn: boolean): void;
  /** Clicks leave the focus in its place, such as the field that keeps a phone's keyboard open. */
  keepFocusOutside(isOn: boolean): void;
  /** Whether Ctrl+V may read this device's clipboard by `readLocal` without asking the person. */
  mayReadLocal: boolean;
  readLocal: () => Promise<string>;
  /** Whether the display takes a text of this size; it says why not. */
  mayPaste: (text: string) => boolean;
  onConnect: () => void;
  onClose: () => void;
  /** A text was copied on the remote page. */
  onClipboard: (text: string) => void;
  /** F6 was pressed: the person wants to use the controls. */
  onLeave: () => void;
  /** Two fingers have enlarged the picture or made it whole again. */
  onZoom: (isZoomed: boolean) => void;
}

/** The client's address relative to /vnc/{id}; it is set in the browser only. */
export const CLIENT_ADDRESS = "../api/webvnc/client.html";

/** The client in a loaded frame; undefined when its files cannot be loaded. */
export function remoteScreenOf(frame: HTMLIFrameElement): Promise<RemoteScreen | undefined> {
  const window = frame.contentWindow as unknown as { remoteScreen?: Promise<RemoteScreen> } | null;
  return Promise.resolve(window?.remoteScreen).catch(() => undefined);
}
