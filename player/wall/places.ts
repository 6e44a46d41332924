/** Where slots are, and which one an arrow key leads to. Pure. */

/** In rows and columns, from 1. */
export interface Place {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
}

export type Direction = "left" | "right" | "up" | "down";

interface Side {
  from: number;
  to: number;
}

const across = ({ column, columnSpan }: Place): Side => ({ from: column, to: column + columnSpan });
const down = ({ row, rowSpan }: Place): Side => ({ from: row, to: row + rowSpan });
const middle = ({ from, to }: Side) => (from + to) / 2;

/** The position of the next place in a direction: the nearest, and of those the one that is most in line; -1 without one. */
export function nextPlace(places: readonly Place[], current: number, direction: Direction): number {
  const isAcross = direction === "left" || direction === "right";
  const isForward = direction === "right" || direction === "down";
  const along = isAcross ? across : down;
  const beside = isAcross ? down : across;
  const here = places[current];
  let found = -1;
  let least = Infinity;
  places.forEach((place, at) => {
    const gap = isForward ? along(place).from - along(here).to : along(here).from - along(place).to;
    if (at === current || gap < 0) return;
    const [one, other] = [beside(place), beside(here)];
    const isInLine = one.from < other.to && other.from < one.to;
    const distance = (isInLine ? 0 : 100) + gap + Math.abs(middle(one) - middle(other)) / 100;
    if (distance < least) {
      least = distance;
      found = at;
    }
  });
  return found;
}
