/** Draws small pictures as they lie on the page. Moments are Unix times in s. */
import { SHEET } from "../../lib/model/past.ts";
import type { Channel } from "./channel.ts";
import type { Rewind } from "./rewindState.ts";

const WIDTH = 2 * SHEET.width;

function contextOf(canvas: HTMLCanvasElement, aspect: number): CanvasRenderingContext2D {
  const size = { width: WIDTH, height: Math.round(WIDTH / aspect) };
  if (canvas.width !== size.width || canvas.height !== size.height) Object.assign(canvas, size);
  return canvas.getContext("2d")!;
}

function aspectOf({ shown }: Channel): number {
  const { size } = shown.peek() ?? {};
  return size ? size.width / size.height : 16 / 9;
}

/** A channel's. @returns whether there is one. */
export function drawPicture(canvas: HTMLCanvasElement, channel: Channel, at: number): boolean {
  const context = contextOf(canvas, aspectOf(channel));
  return channel.draw(context, { x: 0, y: 0, width: canvas.width, height: canvas.height }, at);
}

/** Those of a whole wall. @returns whether there is one of any channel. */
export function drawWall(canvas: HTMLCanvasElement, rewind: Rewind, at: number): boolean {
  const { one, grid: { rows, columns, slots } } = rewind;
  if (one) return drawPicture(canvas, one, at);
  const context = contextOf(canvas, columns * 16 / (rows * 9));
  context.clearRect(0, 0, canvas.width, canvas.height);
  const [width, height] = [canvas.width / columns, canvas.height / rows];
  const drawn = slots.map(({ row, column, rowSpan, columnSpan, stream }) => {
    const [x, y] = [(column - 1) * width, (row - 1) * height];
    const box = { x, y, width: columnSpan * width - 2, height: rowSpan * height - 2 };
    return rewind.channelOf(stream)?.draw(context, box, at);
  });
  return drawn.includes(true);
}
