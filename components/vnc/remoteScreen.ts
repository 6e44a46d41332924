/** What static/api/webvnc/client.js offers the page around it. */
export interface RemoteScreen {
  /** Makes a new connection; ends in `onConnect`, then `onClose`, or in `onClose` alone. */
  connect(token: string): void;
  /** Ends the connection without a call of `onClose`. */
  disconnect(): void;
  /** Presses Backspace `erase` times, then types the text. */
  type(text: string, erase?: number): void;
  /** Puts a text on the remote clipboard and presses Ctrl+V. */
  pasteNow(text: string): void;
  /** From now on keys go to the remote page. */
  focus(): void;
  setViewOnly(isOn: boolean): void;
  /** Clicks leave the focus where it is, such as in the field that keeps a phone's keyboard open. */
  keepFocusOutside(isOn: boolean): void;
  /** Whether Ctrl+V may read this device's clipboard by `readLocal` without asking the person. */
  mayReadLocal: boolean;
  readLocal: () => Promise<string>;
  onConnect: () => void;
  onClose: () => void;
  /** Something was copied on the remote page. */
  onClipboard: (text: string) => void;
  /** F6: the person wants to use the controls. */
  onLeave: () => void;
  /** Two fingers have enlarged the picture, or made it whole again. */
  onZoom: (isZoomed: boolean) => void;
}

/** Relative to /vnc/{id}; only ever set in the browser. */
export const CLIENT_ADDRESS = "../api/webvnc/client.html";

/** The client in a loaded frame; undefined when its files cannot be loaded. */
export function remoteScreenOf(frame: HTMLIFrameElement): Promise<RemoteScreen | undefined> {
  const window = frame.contentWindow as unknown as { remoteScreen?: Promise<RemoteScreen> } | null;
  return Promise.resolve(window?.remoteScreen).catch(() => undefined);
}
