/** The card that an arrow key leads to, by the cards' places on the screen. Pure. */

export type Box = Pick<DOMRect, "left" | "right" | "top" | "bottom">;

/** Edges of neighbours may overlap by a fraction of a pixel. */
const OVERLAP_PX = 1;

const middle = ({ left, right }: Box) => (left + right) / 2;

/** The position of the box that the key leads to from the box at `from`; null for other keys and at an edge. */
export function nextBox(boxes: readonly Box[], from: number, key: string): number | null {
  const start = boxes[from];
  const isInRow = ({ top, bottom }: Box) =>
    top < start.bottom - OVERLAP_PX && bottom > start.top + OVERLAP_PX;
  switch (key) {
    case "ArrowRight":
      return best(boxes, (box) => isInRow(box) && box.left >= start.right - OVERLAP_PX, ({ left }) => left);
    case "ArrowLeft":
      return best(
        boxes,
        (box) => isInRow(box) && box.right <= start.left + OVERLAP_PX,
        ({ right }) => -right,
      );
    case "ArrowDown": {
      const isBelow = ({ top }: Box) => top >= start.bottom - OVERLAP_PX;
      const row = best(boxes, isBelow, ({ top }) => top);
      if (row === null) return null;
      return nearest(boxes, start, (box) => isBelow(box) && box.top < boxes[row].bottom);
    }
    case "ArrowUp": {
      const isAbove = ({ bottom }: Box) => bottom <= start.top + OVERLAP_PX;
      const row = best(boxes, isAbove, ({ bottom }) => -bottom);
      if (row === null) return null;
      return nearest(boxes, start, (box) => isAbove(box) && box.bottom > boxes[row].top);
    }
  }
  return null;
}

function nearest(boxes: readonly Box[], start: Box, isCandidate: (box: Box) => boolean): number | null {
  return best(boxes, isCandidate, (box) => Math.abs(middle(box) - middle(start)));
}

/** The candidate with the smallest cost; of equal candidates, the first. */
function best(
  boxes: readonly Box[],
  isCandidate: (box: Box) => boolean,
  cost: (box: Box) => number,
): number | null {
  let found: number | null = null;
  boxes.forEach((box, position) => {
    if (isCandidate(box) && (found === null || cost(box) < cost(boxes[found]))) found = position;
  });
  return found;
}
