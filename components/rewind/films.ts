/**
 * Plays the films of all channels in step. The slowest of them is the page's clock: it is never ahead of what is on the
 * screen, and a film that is ahead of it stands until it is there. So one behind a gap waits for the others, where nobody
 * has anything the clock goes to the next that has, and a film alone goes as it goes.
 */
import type { Channel } from "./channel.ts";
import { filmAddress } from "./past.ts";
import { MOST_WAIT_MS, type Run, type RunParts } from "./run.ts";

const LOOK_MS = 100;
/** How far a film may be ahead of the slowest, in s of the film. */
const AHEAD = 0.25;
/** What is so far behind is not waited for any more, and comes back ahead of the clock, in s of the film. */
const FAR = 1;

export function playFilms({ channels, start, end, speed, onmoment, onend, onfail }: RunParts): Run {
  /** Those that nobody waits for until they are there again. */
  const left = new Set<Channel>();
  let at = start;
  let movedAt = performance.now();
  let hasEnded = false;

  function look() {
    const going = channels.filter(({ film }) => !film.isOver);
    const { problem } = channels[0].film;
    if (problem !== null && channels.every(({ film }) => film.problem)) return finish(() => onfail(problem));
    if (going.length === 0) return finish(onend);
    for (const channel of left) comeBack(channel);
    const counted = going.filter((channel) => !left.has(channel));
    if (counted.length === 0) return;
    const times = counted.map(({ film }) => film.time ?? start);
    const slowest = Math.min(...times);
    counted.forEach(({ film }, number) => film.hold(times[number] - slowest > AHEAD * speed));
    const shown = Math.min(...counted.map(({ film }) => film.shown ?? -Infinity));
    const now = performance.now();
    if (shown > at || shown === at && !channels.some(({ isFilm }) => isFilm.peek())) {
      [at, movedAt] = [shown, now];
    }
    for (const channel of channels) {
      const { film } = channel;
      // one that is behind a gap shows what is yet to come
      const isNow = film.shown !== null && !film.isOver && !left.has(channel) &&
        film.shown - at <= Math.max(1, speed / 2);
      channel.isFilm.value = shown !== -Infinity && isNow;
    }
    if (shown !== -Infinity) onmoment(at);
    if (now - movedAt > MOST_WAIT_MS && counted.some(({ film }) => film.isReady)) {
      counted.filter(({ film }) => !film.isReady).forEach((channel) => left.add(channel));
      movedAt = now;
    }
  }

  function comeBack(channel: Channel) {
    const { film } = channel;
    film.hold(true);
    if (!film.isReady) return;
    const behind = at - film.time!;
    if (behind > 0 || behind < -2 * FAR * speed) film.seek(at + FAR * speed);
    else left.delete(channel);
  }

  function finish(tell: () => void) {
    if (hasEnded) return;
    stop();
    tell();
  }

  function stop() {
    hasEnded = true;
    clearInterval(timer);
    for (const { film } of channels) film.hold(true);
  }

  const timer = setInterval(look, LOOK_MS);
  for (const { id, film, video, isFilm } of channels) {
    isFilm.value = false;
    if (video) {
      void film.play(video, filmAddress(id, start, end - start, speed), speed, () => hasEnded || look());
    }
  }
  return { stop };
}
