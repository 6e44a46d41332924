/**
 * The text field that has the focus while somebody uses the remote page by a keyboard: input methods, dead keys and panels
 * of emoji write into a text field alone. What they wrote is typed there once it is finished; all other keys are noVNC's.
 */
const MODIFIERS = new Set(["Shift", "Alt", "AltGraph", "Control", "Meta", "CapsLock"]);
/** The place that what is being composed takes up at most, in pixels: its field is shown meanwhile. */
const WIDTH = 320;
const HEIGHT = 48;

/** @param {HTMLTextAreaElement} field @param {(text: string) => void} type types a text into the remote page */
export function takeText(field, type) {
  let isAfterDeadKey = false;

  function take() {
    const text = field.value;
    field.value = "";
    if (text !== "") type(text);
  }

  field.addEventListener("input", (event) => {
    if (!event.isComposing) take();
  });
  field.addEventListener("compositionstart", () => field.classList.add("composing"));
  field.addEventListener("compositionend", () => {
    field.classList.remove("composing");
    take();
  });

  return {
    /** Whether a key that was pressed is part of what the field writes, so that it is no key of the remote page. */
    writes({ target, key, keyCode, isComposing, ctrlKey, altKey, metaKey }) {
      if (target !== field) return false;
      const isDeadKey = key === "Dead";
      // Windows tells of the letter alone after a dead key. With Ctrl and Alt it is AltGr
      const isFinished = isAfterDeadKey && key.length === 1 && !metaKey && (!ctrlKey || altKey);
      if (!MODIFIERS.has(key)) isAfterDeadKey = isDeadKey;
      // 229: an input method has the key
      return isComposing || keyCode === 229 || isDeadKey || isFinished || key === "Unidentified";
    },
    /** What is being composed is finished, and what comes next is shown below this point, as far as there is room. */
    moveTo(x, y) {
      if (field.classList.contains("composing")) field.blur();
      field.style.left = `${Math.max(0, Math.min(x, innerWidth - WIDTH))}px`;
      field.style.top = `${Math.max(0, Math.min(y + HEIGHT / 2, innerHeight - HEIGHT))}px`;
    },
  };
}
