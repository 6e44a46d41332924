/**
 * Enlarges the remote page's picture between two fingers, and moves what is enlarged with two: small screens show all
 * of it, too small to read. noVNC tells of its gestures by events on its canvas; those that are ours it never gets, since
 * it would send them to the remote page as the wheel with Ctrl, and as the wheel.
 */
const LARGEST = 6;
/** What is hardly enlarged was meant to be whole. */
const WHOLE = 1.1;

/**
 * @param {HTMLElement} frame what is seen; it fills the window. @param {HTMLElement} picture what noVNC fits its canvas
 * into. @param {(isZoomed: boolean) => void} changed
 */
export function makeZoomable(frame, picture, changed) {
  let zoom = 1;
  /** How it was when the fingers came down; null while they are not ours. */
  let start = null;
  /** The canvas when the picture is whole. */
  let whole = { width: 0, height: 0 };

  function measure() {
    const canvas = picture.querySelector("canvas");
    if (canvas) whole = { width: canvas.clientWidth / zoom, height: canvas.clientHeight / zoom };
  }

  /** Keeps the point of the picture below (x, y), which was there at the start, moved by (byX, byY). */
  function place(next, x, y, byX, byY) {
    const wasZoomed = zoom > 1;
    zoom = Math.max(1, Math.min(LARGEST, next));
    picture.style.width = picture.style.height = `${zoom * 100}%`;
    const scale = zoom / start.zoom;
    frame.scrollLeft = within((start.left + x) * scale - x - byX, frame.clientWidth, whole.width);
    frame.scrollTop = within((start.top + y) * scale - y - byY, frame.clientHeight, whole.height);
    if (wasZoomed !== zoom > 1) changed(zoom > 1);
  }

  /** No emptiness beside what is larger than the window; what is smaller stays in the middle. */
  function within(position, size, content) {
    const margin = (size - content) * zoom / 2;
    const free = content * zoom - size;
    return free <= 0 ? (size * zoom - size) / 2 : Math.max(margin, Math.min(margin + free, position));
  }

  function begin({ type, magnitudeX, magnitudeY }) {
    start = null;
    if (type !== "pinch" && !(type === "twodrag" && zoom > 1)) return;
    measure();
    const distance = Math.max(1, Math.hypot(magnitudeX, magnitudeY));
    start = { type, zoom, distance, left: frame.scrollLeft, top: frame.scrollTop };
  }

  function move({ clientX, clientY, magnitudeX, magnitudeY }) {
    if (start.type === "twodrag") return place(zoom, clientX, clientY, magnitudeX, magnitudeY);
    place(start.zoom * Math.hypot(magnitudeX, magnitudeY) / start.distance, clientX, clientY, 0, 0);
  }

  function end({ clientX, clientY }) {
    if (start.type === "pinch" && zoom < WHOLE) place(1, clientX, clientY, 0, 0);
    start = null;
  }

  function listen(name, act) {
    frame.addEventListener(name, (event) => {
      // Safari has events of these names itself, without a detail
      if (!event.detail?.type) return;
      if (name === "gesturestart") begin(event.detail);
      if (!start) return;
      event.stopPropagation();
      act(event.detail);
    }, true);
  }

  listen("gesturestart", () => {});
  listen("gesturemove", move);
  listen("gestureend", end);
  // turned, or made smaller by a keyboard: the same part stays in view as far as it can
  addEventListener("resize", () => {
    if (zoom === 1) return;
    measure();
    start = { zoom, left: frame.scrollLeft, top: frame.scrollTop };
    place(zoom, 0, 0, 0, 0);
    start = null;
  });
}
