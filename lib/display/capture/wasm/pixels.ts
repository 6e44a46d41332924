/**
 * Pixels of a display (four bytes each: blue, green, red, and an unused byte) to planes of YUV 4:2:0, scaled on
 * the way where the sizes differ. AssemblyScript, not TypeScript: scripts/wasm.ts compiles it. It has no memory but the
 * given one, and lib/display/capture/picture.ts decides the places in it.
 *
 * The matrix is BT.709's in limited range. Source: ITU-R BT.709-6, items 3.2 and 3.4.
 */

/** Luma's weights times 2^15, and chroma's times 2^15: blue, green, red, none. */
const LUMA_BITS = 15;
/** Chroma is made of the sum of four pixels. */
const CHROMA_BITS = 17;

/** The bits below a level after vertical scaling, and after both: the horizontal weights have 14. */
const LEVEL_BITS = 7;
const SCALED_BITS = 21;

/** Converts two rows of pixels to two rows of luma and one row of each chroma. `width` is even, and 8 at least. */
function convertRows(
  above: usize,
  below: usize,
  lumaAbove: usize,
  lumaBelow: usize,
  u: usize,
  v: usize,
  width: i32,
): void {
  for (let next = 0; next < width; next += 8) {
    // the last 8 pixels are done twice where the width is no multiple of 8: nothing is written behind the row
    const x = min(next, width - 8);
    convertBlock(
      above + (x << 2),
      below + (x << 2),
      lumaAbove + x,
      lumaBelow + x,
      u + (x >> 1),
      v + (x >> 1),
    );
  }
}

/** Neighbours' sums: (a0+a1, a2+a3, b0+b1, b2+b3), the half products of a pixel being neighbours. */
function pairSums(a: v128, b: v128): v128 {
  return i32x4.add(v128.shuffle<i32>(a, b, 0, 2, 4, 6), v128.shuffle<i32>(a, b, 1, 3, 5, 7));
}

/** The luma of 8 pixels, as numbers of 16 bits. */
function lumaOf(pixels: v128, more: v128): v128 {
  const weights = i16x8(2032, 20127, 5983, 0, 2032, 20127, 5983, 0);
  const black = i32x4.splat((16 << LUMA_BITS) + (1 << (LUMA_BITS - 1)));
  const a = pairSums(
    i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(pixels), weights),
    i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(pixels), weights),
  );
  const b = pairSums(
    i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(more), weights),
    i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(more), weights),
  );
  return i16x8.narrow_i32x4_s(
    i32x4.shr_s(i32x4.add(a, black), LUMA_BITS),
    i32x4.shr_s(i32x4.add(b, black), LUMA_BITS),
  );
}

/** The sums of 2 x 2 pixels: 4 pixels of two rows make two sums of four numbers of 16 bits. */
function squares(above: v128, below: v128): v128 {
  const low = i16x8.add(i16x8.extend_low_i8x16_u(above), i16x8.extend_low_i8x16_u(below));
  const high = i16x8.add(i16x8.extend_high_i8x16_u(above), i16x8.extend_high_i8x16_u(below));
  return i16x8.add(v128.shuffle<i64>(low, high, 0, 2), v128.shuffle<i64>(low, high, 1, 3));
}

/** A chroma of 4 squares, as numbers of 32 bits. */
function chromaOf(left: v128, right: v128, weights: v128): v128 {
  const middle = i32x4.splat((128 << CHROMA_BITS) + (1 << (CHROMA_BITS - 1)));
  const sums = pairSums(i32x4.dot_i16x8_s(left, weights), i32x4.dot_i16x8_s(right, weights));
  return i32x4.shr_s(i32x4.add(sums, middle), CHROMA_BITS);
}

/** Converts 8 pixels of two rows. */
function convertBlock(
  above: usize,
  below: usize,
  lumaAbove: usize,
  lumaBelow: usize,
  u: usize,
  v: usize,
): void {
  const a0 = v128.load(above), a1 = v128.load(above, 16);
  const b0 = v128.load(below), b1 = v128.load(below, 16);
  const luma = i8x16.narrow_i16x8_u(lumaOf(a0, a1), lumaOf(b0, b1));
  v128.store64_lane(lumaAbove, luma, 0);
  v128.store64_lane(lumaBelow, luma, 1);
  const left = squares(a0, b0), right = squares(a1, b1);
  const us = chromaOf(left, right, i16x8(14392, -11094, -3298, 0, 14392, -11094, -3298, 0));
  const vs = chromaOf(left, right, i16x8(-1320, -13072, 14392, 0, -1320, -13072, 14392, 0));
  const chroma = i8x16.narrow_i16x8_u(i16x8.narrow_i32x4_s(us, vs), i16x8.splat(0));
  v128.store32_lane(u, chroma, 0);
  v128.store32_lane(v, chroma, 1);
}

/** Converts the rows from `top` to before `bottom`, both even. */
export function convert(source: usize, picture: usize, width: i32, height: i32, top: i32, bottom: i32): void {
  const stride = width << 2, half = width >> 1;
  const u = picture + width * height, v = u + half * (height >> 1);
  for (let y = top; y < bottom; y += 2) {
    const pixels = source + y * stride, luma = picture + y * width, chroma = (y >> 1) * half;
    convertRows(pixels, pixels + stride, luma, luma + width, u + chroma, v + chroma, width);
  }
}

/**
 * Makes a row of the picture, not yet scaled in its width: a weighted sum of the display's rows, in numbers of 16 bits.
 * @param taps the first row's number, then the weights times 2^15.
 */
function blendRows(source: usize, bytes: i32, taps: usize, count: i32, line: usize): void {
  const first = source + load<i32>(taps) * bytes;
  for (let x = 0; x < bytes; x += 16) {
    let low = i16x8.splat(0), high = i16x8.splat(0);
    let pixels = first + x, weights = taps + 4;
    for (let tap = 0; tap < count; tap++) {
      const four = v128.load(pixels);
      const weight = i16x8.splat(load<i16>(weights));
      low = i16x8.add(
        low,
        i16x8.q15mulr_sat_s(i16x8.shl(i16x8.extend_low_i8x16_u(four), LEVEL_BITS), weight),
      );
      high = i16x8.add(
        high,
        i16x8.q15mulr_sat_s(i16x8.shl(i16x8.extend_high_i8x16_u(four), LEVEL_BITS), weight),
      );
      pixels += bytes;
      weights += 4;
    }
    v128.store(line + (x << 1), low);
    v128.store(line + (x << 1), high, 16);
  }
}

/** As `blendRows`, for two rows, which most scalings need: without a loop it takes half as long. */
function blendTwoRows(source: usize, bytes: i32, taps: usize, line: usize): void {
  const above = source + load<i32>(taps) * bytes, below = above + bytes;
  const a = i16x8.splat(load<i16>(taps, 4)), b = i16x8.splat(load<i16>(taps, 8));
  for (let x = 0; x < bytes; x += 16) {
    const up = v128.load(above + x), down = v128.load(below + x);
    const low = i16x8.add(
      i16x8.q15mulr_sat_s(i16x8.shl(i16x8.extend_low_i8x16_u(up), LEVEL_BITS), a),
      i16x8.q15mulr_sat_s(i16x8.shl(i16x8.extend_low_i8x16_u(down), LEVEL_BITS), b),
    );
    const high = i16x8.add(
      i16x8.q15mulr_sat_s(i16x8.shl(i16x8.extend_high_i8x16_u(up), LEVEL_BITS), a),
      i16x8.q15mulr_sat_s(i16x8.shl(i16x8.extend_high_i8x16_u(down), LEVEL_BITS), b),
    );
    v128.store(line + (x << 1), low);
    v128.store(line + (x << 1), high, 16);
  }
}

/** A pixel of the scaled row, as four numbers of 32 bits. */
function blendColumns(line: usize, taps: usize, pairs: i32): v128 {
  let pixels = line + load<i32>(taps), weights = taps + 4;
  let sum = i32x4.splat(1 << (SCALED_BITS - 1));
  for (let pair = 0; pair < pairs; pair++) {
    const two = v128.load(pixels);
    const mixed = v128.shuffle<i16>(two, two, 0, 4, 1, 5, 2, 6, 3, 7);
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(mixed, v128.load32_splat(weights)));
    pixels += 16;
    weights += 4;
  }
  return i32x4.shr_s(sum, SCALED_BITS);
}

/** A pixel that is made of two pixels, as four numbers of 32 bits. */
function blendTwo(line: usize, taps: usize): v128 {
  const two = v128.load(line + load<i32>(taps));
  const mixed = v128.shuffle<i16>(two, two, 0, 4, 1, 5, 2, 6, 3, 7);
  const sum = i32x4.dot_i16x8_s(mixed, v128.load32_splat(taps, 4));
  return i32x4.shr_s(i32x4.add(i32x4.splat(1 << (SCALED_BITS - 1)), sum), SCALED_BITS);
}

/** As `scaleRow`, where each pixel is made of two pixels. */
function scaleRowByTwo(line: usize, taps: usize, row: usize, width: i32): void {
  for (let x = 0; x < width; x += 2) {
    const two = i16x8.narrow_i32x4_s(blendTwo(line, taps), blendTwo(line, taps + 8));
    v128.store64_lane(row + (x << 2), i8x16.narrow_i16x8_u(two, two), 0);
    taps += 16;
  }
}

/** Scales a row of 16-bit numbers to a row of pixels. `width` is even; up to two pixels behind the row are written. */
function scaleRow(line: usize, taps: usize, pairs: i32, row: usize, width: i32): void {
  const size = 4 + (pairs << 2);
  for (let x = 0; x < width; x += 2) {
    const two = i16x8.narrow_i32x4_s(blendColumns(line, taps, pairs), blendColumns(line, taps + size, pairs));
    v128.store64_lane(row + (x << 2), i8x16.narrow_i16x8_u(two, two), 0);
    taps += size << 1;
  }
}

/** Makes a row of the picture from all rows of the display that it needs. */
function scaleOne(
  source: usize,
  bytes: i32,
  rowTaps: usize,
  rowCount: i32,
  columnTaps: usize,
  columnPairs: i32,
  line: usize,
  row: usize,
  width: i32,
): void {
  if (rowCount === 2) blendTwoRows(source, bytes, rowTaps, line);
  else blendRows(source, bytes, rowTaps, rowCount, line);
  if (columnPairs === 1) scaleRowByTwo(line, columnTaps, row, width);
  else scaleRow(line, columnTaps, columnPairs, row, width);
}

/**
 * Scales and converts the picture's rows from `top` to before `bottom`, both even.
 * @param line has room for a row of the display in numbers of 16 bits, and 32 bytes; `rows` for two rows of the picture.
 */
export function scaleAndConvert(
  source: usize,
  sourceWidth: i32,
  rowTaps: usize,
  rowCount: i32,
  columnTaps: usize,
  columnPairs: i32,
  line: usize,
  rows: usize,
  picture: usize,
  width: i32,
  height: i32,
  top: i32,
  bottom: i32,
): void {
  const rowSize = 4 + (rowCount << 2), half = width >> 1;
  const u = picture + width * height, v = u + half * (height >> 1);
  const below = rows + (width << 2);
  for (let y = top; y < bottom; y += 2) {
    const taps = rowTaps + y * rowSize;
    scaleOne(source, sourceWidth << 2, taps, rowCount, columnTaps, columnPairs, line, rows, width);
    scaleOne(source, sourceWidth << 2, taps + rowSize, rowCount, columnTaps, columnPairs, line, below, width);
    const luma = picture + y * width, chroma = (y >> 1) * half;
    convertRows(rows, below, luma, luma + width, u + chroma, v + chroma, width);
  }
}
