import type { WallGrid } from "../../lib/model/wall/layout.ts";
import { type WallStream, wallThumbnail } from "./wallStreams.ts";

/** The size of the drawing in its own units: 16:9. */
const WIDTH = 160;
const HEIGHT = 90;
const GAP = 2;

/** A small drawing of a layout, with the thumbnails of its streams. The text beside it names the streams; our policy forbids style attributes. */
export function WallPreview({ wall, streams }: { wall: WallGrid; streams: readonly WallStream[] }) {
  const { rows, columns, slots } = wall;
  const [width, height] = [WIDTH / columns, HEIGHT / rows];
  return (
    <svg class="wall-preview" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false">
      <rect class="ground" width={WIDTH} height={HEIGHT} rx="4" />
      {slots.filter(({ stream }) => stream !== null).map((slot) => {
        const shown = streams.find(({ id }) => id === slot.stream);
        const thumbnail = shown && wallThumbnail(shown);
        const place = {
          x: (slot.column - 1) * width + GAP,
          y: (slot.row - 1) * height + GAP,
          width: slot.columnSpan * width - 2 * GAP,
          height: slot.rowSpan * height - 2 * GAP,
        };
        return (
          <g key={`${slot.row} ${slot.column}`} class={shown?.isOn ? "" : "is-off"}>
            <rect {...place} rx="2" />
            {thumbnail && <image {...place} href={thumbnail} preserveAspectRatio="xMidYMid slice" />}
          </g>
        );
      })}
    </svg>
  );
}
