/**
 * How Kodi's PVR IPTV Simple Client makes an address of a catch-up source: the rules of its published source
 * (kodi-pvr/pvr.iptvsimple, src/iptvsimple/CatchupController.cpp) in our words.
 */

export interface Programme {
  /** Unix time in s. */
  start: number;
  /** In s. */
  duration: number;
}

/** Letters of a date and time, as its formats have them. */
type Letters = Record<"Y" | "m" | "d" | "H" | "M" | "S", string>;

/** @param zone of the box it runs on: it writes local times. */
function lettersOf(time: number, zone: string): Letters {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  const parts = Object.fromEntries(format.formatToParts(time * 1000).map(({ type, value }) => [type, value]));
  const { year, month, day, hour, minute, second } = parts;
  return { Y: year, m: month, d: day, H: hour, M: minute, S: second };
}

/** @param now Unix time in s. */
export function iptvsimpleAddress(
  source: string,
  { start, duration }: Programme,
  now: number,
  zone = "UTC",
): string {
  const end = start + duration;
  const letters = lettersOf(start, zone);
  let text = source.replace(/\{([YmdHMS])\}/g, (_, letter: keyof Letters) => letters[letter]);
  const numbers: [placeholder: string, number: number][] = [
    ...[["{utc}", start], ["${start}", start], ["{utcend}", end], ["${end}", end]] as [string, number][],
    ...["{lutc}", "${now}", "${timestamp}"].map((name): [string, number] => [name, now]),
    ...["${duration}", "{duration}"].map((name): [string, number] => [name, duration]),
    ["${offset}", now - start],
  ];
  // each stands for one place
  for (const [placeholder, number] of numbers) text = text.replace(placeholder, () => String(number));
  const units: [name: string, seconds: number][] = [["duration", duration], ["offset", now - start]];
  for (const [name, seconds] of units) {
    text = text.replace(
      new RegExp(`\\{${name}:(\\d+)\\}`),
      (_, divider) => String(Math.max(0, Math.floor(seconds / Number(divider)))),
    );
  }
  const formats: [placeholder: string, time: number][] = [
    ...[["{utc:", start], ["${start:", start], ["{utcend:", end], ["${end:", end]] as [string, number][],
    ...["{lutc:", "${now:", "${timestamp:"].map((name): [string, number] => [name, now]),
  ];
  for (const [placeholder, time] of formats) {
    const from = text.indexOf(placeholder);
    const to = from < 0 ? -1 : text.indexOf("}", from);
    if (to < 0) continue;
    const own = lettersOf(time, zone);
    const written = text.slice(from + placeholder.length, to)
      .replace(/[YmdHMS]/g, (letter) => own[letter as keyof Letters]);
    text = text.slice(0, from) + written + text.slice(to + 1);
  }
  return text;
}
