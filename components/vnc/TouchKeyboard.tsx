import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import type { RemoteScreen } from "./remoteScreen.ts";
import { keystrokesBetween, PADDING } from "./keystrokes.ts";

interface TouchKeyboardProps {
  field: RefObject<HTMLTextAreaElement>;
  screen: RemoteScreen | null;
  onOpen: (isOpen: boolean) => void;
}

/** The field is emptied beyond this length, so that the compared texts stay short. */
const MAX_LENGTH = 400;

/** The field, out of sight, whose focus opens a phone's keyboard; its text is typed remotely. */
export function TouchKeyboard({ field, screen, onOpen }: TouchKeyboardProps) {
  const before = useRef(PADDING);

  function reset(element: HTMLTextAreaElement) {
    element.value = before.current = PADDING;
    element.setSelectionRange(PADDING.length, PADDING.length);
  }

  function typed(event: InputEvent & { currentTarget: HTMLTextAreaElement }) {
    const element = event.currentTarget;
    const { erase, text } = keystrokesBetween(before.current, element.value);
    before.current = element.value;
    screen?.type(text, erase);
    const { length } = element.value;
    if (!event.isComposing && (length < PADDING.length / 2 || length > MAX_LENGTH)) reset(element);
  }

  function open(isOpen: boolean, element: HTMLTextAreaElement) {
    reset(element);
    screen?.keepFocusOutside(isOpen);
    onOpen(isOpen);
  }

  return (
    <textarea
      ref={field}
      class="vnc-typing"
      aria-label="Text for the remote page"
      tabIndex={-1}
      rows={1}
      autocomplete="off"
      autocapitalize="off"
      autocorrect="off"
      spellcheck={false}
      onFocus={(event) => open(true, event.currentTarget)}
      onBlur={(event) => open(false, event.currentTarget)}
      onInput={typed}
    />
  );
}
