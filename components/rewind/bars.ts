/** What the bar draws, in px of a screen. Pure. Moments are Unix times in s. */
import type { Reason } from "../../lib/model/past.ts";
import type { StreamEvent } from "../../lib/model/answers/shapes.ts";
import type { IconName } from "../ui/Icon.tsx";
import type { Changes, Gap, PastEvent, Range } from "./past.ts";
import { placeOf } from "./windows.ts";

/** Px from one bar to the next, and of a bar. */
const PITCH = 3;
const BAR = 2;
/** Px of the smallest change: a digit is one, too. */
const LEAST = 4;
/** Seconds behind which the recorder may be without a gap: it says each two seconds that nothing changed. */
const BEHIND = 15;

const REASONS: Readonly<Record<Reason, { short: string; says: string }>> = {
  visit: { short: "VNC", says: "Not kept: somebody used the browser by VNC." },
  cover: { short: "covered", says: "Not kept: the page was broken, and its display covered." },
  off: { short: "not recorded", says: "Not kept: recording was off for this channel." },
  disk: { short: "disk full", says: "Not kept: the disk had too little room." },
  stopped: { short: "off the air", says: "The channel was off the air." },
  away: { short: "node away", says: "Not here: another node, which has this part, is away." },
};

/** Why nothing is kept, in words. */
export function gapText({ reason, node }: Pick<Gap, "reason" | "node">): string {
  if (node) return `Not here: the node ${node}, which has this part, is away.`;
  return reason ? REASONS[reason].says : "Nothing is kept of this time.";
}

/** The same in a word or two, on the bar. */
export function gapLabel({ reason, node }: Pick<Gap, "reason" | "node">): string {
  if (node) return `${node} is away`;
  return reason ? REASONS[reason].short : "nothing kept";
}

/** Gaps without the newest seconds, which are only not written yet; one that goes on lasts until now. */
export function trueGaps({ gaps, end, askedAt }: Changes, now: number): Gap[] {
  return gaps.flatMap((gap) => {
    if (gap.end < Math.min(end, askedAt) - 2) return [gap];
    const isBehind = gap.reason === null && gap.start > askedAt - BEHIND;
    return isBehind ? [] : [{ ...gap, end: Math.max(gap.end, now) }];
  });
}

/** The times of a window that are kept. */
export function keptOf(gaps: readonly Gap[], { start, end }: Range, now: number): Range[] {
  const kept: Range[] = [];
  let from = start;
  for (const gap of [...gaps, { start: Math.min(end, now), end }]) {
    if (gap.start > from) kept.push({ start: from, end: gap.start });
    from = Math.max(from, gap.end);
  }
  return kept;
}

/** Bars for the shares, as the path of an SVG: small changes stand out, too. */
export function barPath({ slots, scale }: Changes, window: Range, width: number, height: number): string {
  const highest = new Map<number, number>();
  for (const { start, share } of slots) {
    if (share === 0 || start < window.start || start >= window.end) continue;
    const column = Math.floor(placeOf(start + scale / 2, window) * width / PITCH);
    highest.set(column, Math.max(share, highest.get(column) ?? 0));
  }
  return Array.from(highest, ([column, share]) => {
    const bar = Math.round(LEAST + (height - LEAST) * Math.sqrt(share / 1000));
    return `M${column * PITCH} ${height - bar}h${BAR}v${bar}h-${BAR}z`;
  }).join("");
}

/** Events that are one sign, since they are near each other. */
export interface Sign {
  at: number;
  x: number;
  icon: IconName;
  level: StreamEvent["level"];
  events: PastEvent[];
}

const LEVELS: readonly StreamEvent["level"][] = ["info", "warn", "error"];

/** @param size of a sign, in px. */
export function signsOf({ slots }: Changes, window: Range, width: number, size: number): Sign[] {
  const signs: Sign[] = [];
  const events = slots.flatMap(({ events }) => events).sort((one, other) => one.at - other.at);
  for (const event of events) {
    const at = Math.floor(event.at / 1000);
    const x = placeOf(at, window) * width;
    const last = signs.at(-1);
    if (at < window.start || at >= window.end) continue;
    if (!last || x - last.x >= size) {
      signs.push({ at, x, icon: iconOf(event), level: event.level, events: [event] });
    } else {
      last.events.push(event);
      if (LEVELS.indexOf(event.level) > LEVELS.indexOf(last.level)) {
        Object.assign(last, { at, icon: iconOf(event), level: event.level });
      }
    }
  }
  return signs;
}

function iconOf({ kind, level, text }: StreamEvent): IconName {
  if (level === "error") return "error";
  if (kind === "takeover") return "vnc";
  if (kind === "login") return "logout";
  if (/restart/i.test(text)) return "restart";
  if (level === "warn") return "warning";
  return kind === "reload" ? "reload" : kind === "stream" ? "start" : "info";
}

/** The outline of the cells that changed, in cells of 16 x 9, as the path of an SVG. @param cells in hexadecimal. */
export function outlineOf(cells: string): string {
  const bits = [...cells].map((digit) => parseInt(digit, 16).toString(2).padStart(4, "0")).join("");
  const isIn = (x: number, y: number) => x >= 0 && x < 16 && y >= 0 && bits[y * 16 + x] === "1";
  const lines: string[] = [];
  for (let y = 0; y <= 9; y++) {
    for (let x = 0; x <= 16; x++) {
      if (isIn(x, y) !== isIn(x, y - 1)) lines.push(`M${x} ${y}h1`);
      if (isIn(x, y) !== isIn(x - 1, y)) lines.push(`M${x} ${y}v1`);
    }
  }
  return lines.join("");
}

/** Where most of the change is: "top left", "middle", "everywhere". @param cells in hexadecimal. */
export function placeText(cells: string): string {
  const bits = [...cells].flatMap((digit) => [8, 4, 2, 1].map((bit) => parseInt(digit, 16) & bit ? 1 : 0));
  const changed = bits.flatMap((bit, at) => bit ? [at] : []);
  if (changed.length > 72) return "everywhere";
  if (changed.length === 0) return "";
  const middle = (of: (at: number) => number) =>
    changed.reduce((sum, at) => sum + of(at), 0) / changed.length;
  const column = middle((at) => at % 16);
  const row = middle((at) => Math.floor(at / 16));
  const names = [
    row < 3 ? "top" : row < 6 ? "" : "bottom",
    column < 5 ? "left" : column < 11 ? "" : "right",
  ].filter(Boolean);
  return names.join(" ") || "middle";
}
