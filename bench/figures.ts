/** What is made of many measurements. */

/** The upper one of the two in the middle, where their number is even; NaN of none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** The least value that this part (0 to 1) of all are not above; NaN of none. */
export function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * part) - 1)] ?? NaN;
}
