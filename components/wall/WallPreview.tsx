import type { WallGrid } from "../../lib/model/wall/layout.ts";

/** The size of the drawing in its own units: 16:9. */
const WIDTH = 160;
const HEIGHT = 90;
const GAP = 2;

/** A small drawing of a layout. The text beside it names the streams; our policy forbids style attributes. */
export function WallPreview({ rows, columns, slots }: WallGrid) {
  const [width, height] = [WIDTH / columns, HEIGHT / rows];
  return (
    <svg class="wall-preview" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false">
      <rect class="ground" width={WIDTH} height={HEIGHT} rx="4" />
      {slots.filter(({ stream }) => stream !== null).map(({ row, column, rowSpan, columnSpan }) => (
        <rect
          key={`${row} ${column}`}
          x={(column - 1) * width + GAP}
          y={(row - 1) * height + GAP}
          width={columnSpan * width - 2 * GAP}
          height={rowSpan * height - 2 * GAP}
          rx="2"
        />
      ))}
    </svg>
  );
}
