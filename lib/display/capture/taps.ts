/**
 * The sources of each pixel of a scaled picture, in one direction: the covered area where the picture gets smaller, the
 * two neighbours where it gets larger. Pure.
 */

export interface Taps {
  /** The first source pixel of each pixel of the picture; `count` source pixels from there on always exist. */
  first: Int32Array;
  /** `count` weights for each pixel of the picture; the weights of a pixel are `total` together. */
  weights: Int32Array;
  count: number;
}

export interface Scaling {
  from: number;
  to: number;
}

/** The weights of a pixel, by its source pixels' numbers; together they are 1. */
export function pixelWeights({ from, to }: Scaling, at: number): Map<number, number> {
  const step = from / to;
  const weights = new Map<number, number>();
  if (from >= to) {
    const [begin, end] = [at * step, (at + 1) * step];
    for (let pixel = Math.floor(begin); pixel < Math.min(from, Math.ceil(end)); pixel++) {
      const covered = Math.min(end, pixel + 1) - Math.max(begin, pixel);
      // the rounding error of a division is no pixel
      if (covered > 1e-9 * step) weights.set(pixel, covered / step);
    }
    return weights;
  }
  const middle = Math.max(0, Math.min(from - 1, (at + 0.5) * step - 0.5));
  const left = Math.min(from - 2, Math.floor(middle));
  weights.set(left, 1 - (middle - left));
  weights.set(left + 1, middle - left);
  return weights;
}

/** @param total the number for 1. @param multiple the number of weights is a multiple of it. */
export function makeTaps(scaling: Scaling, total: number, multiple = 1): Taps {
  const { from, to } = scaling;
  const all = Array.from({ length: to }, (_, at) => pixelWeights(scaling, at));
  const most = Math.max(...all.map(({ size }) => size));
  const count = Math.ceil(most / multiple) * multiple;
  const first = new Int32Array(to);
  const weights = new Int32Array(to * count);
  all.forEach((map, at) => {
    const start = Math.min(Math.min(...map.keys()), from - count);
    first[at] = start;
    const own = weights.subarray(at * count, (at + 1) * count);
    for (const [pixel, weight] of map) own[pixel - start] = Math.round(weight * total);
    // rounding must not make a white area grey
    const rest = total - own.reduce((sum, weight) => sum + weight, 0);
    own[own.indexOf(Math.max(...own))] += rest;
  });
  return { first, weights, count };
}

/** The pixels of the picture, from the first to before the last, with a source pixel from `begin` to before `end`. */
export function pixelsOf({ first, count }: Taps, begin: number, end: number): { begin: number; end: number } {
  let from = 0;
  while (from < first.length && first[from] + count <= begin) from++;
  let to = from;
  while (to < first.length && first[to] < end) to++;
  return { begin: from, end: to };
}
