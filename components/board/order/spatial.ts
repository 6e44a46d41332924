/** The card that an arrow key leads to, by the cards' places on the screen. Pure. */

export type Box = Pick<DOMRect, "left" | "right" | "top" | "bottom">;

/** Edges of neighbours may overlap by a fraction of a pixel. */
const OVERLAP_PX = 1;

/** More than an overlap, and so little that many fit between two rows of cards. */
const SLICE_PX = 2;

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

/**
 * The boxes, where each box that lies over the page has got a place in it: a row of its own at the page's lower edge, after
 * the boxes that are seen whole and before the boxes further down. @param height of the visible part of the page.
 */
export function underlaid(boxes: readonly Box[], isOver: readonly boolean[], height: number): Box[] {
  const seen = boxes.filter(({ bottom }, position) => !isOver[position] && bottom <= height);
  let edge = Math.max(0, ...seen.map(({ bottom }) => bottom));
  return boxes.map((box, position) =>
    isOver[position] ? { ...box, top: edge, bottom: edge += SLICE_PX } : box
  );
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
