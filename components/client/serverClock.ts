/** The service's clock as this page knows it: a wall TV's own may be years off. */
let aheadMs = 0;

/** The Date header has whole seconds, and an answer takes time: a smaller difference does not count. */
const TOLERANCE_MS = 3000;

/** @param date the Date header of a fresh answer. */
export function noteServerTime(date: string | null): void {
  const ahead = Date.parse(date ?? "") - Date.now();
  if (!Number.isNaN(ahead)) aheadMs = Math.abs(ahead) < TOLERANCE_MS ? 0 : ahead;
}

/** Unix ms on the service's machine. */
export function serverNow(): number {
  return Date.now() + aheadMs;
}
