import { useEffect, useState } from "preact/hooks";
import { rememberedCard } from "./boardCard.ts";

/** So many cards are drawn whole in a frame that takes no longer than a person notices. */
const CARDS_PER_FRAME = 4;

/** Does what waits in the order in which it came, some in each frame. */
export class Turns {
  #waiting = new Set<() => void>();
  #isAsked = false;

  /** @param nextFrame calls back before the next frame is drawn. */
  constructor(private readonly count: number, private readonly nextFrame: (call: () => void) => void) {}

  /** @returns takes it out again. */
  add(act: () => void): () => void {
    this.#waiting.add(act);
    this.#ask();
    return () => void this.#waiting.delete(act);
  }

  #ask(): void {
    if (this.#isAsked || this.#waiting.size === 0) return;
    this.#isAsked = true;
    this.nextFrame(() => {
      this.#isAsked = false;
      this.#take();
    });
  }

  #take(): void {
    for (const act of [...this.#waiting].slice(0, this.count)) {
      this.#waiting.delete(act);
      act();
    }
    this.#ask();
  }
}

const turns = new Turns(CARDS_PER_FRAME, (call) => requestAnimationFrame(call));

/**
 * Whether a card is drawn whole: at once where its stream is known when it appears, and where the keys go back to it.
 * Cards whose streams become known together, as by the first poll, take turns, so that the page scrolls meanwhile.
 */
export function useTurn(id: string, isKnown: boolean): boolean {
  const [isTurn, setTurn] = useState(isKnown);
  const waits = isKnown && !isTurn;
  if (waits && id === rememberedCard()) setTurn(true);
  useEffect(() => waits ? turns.add(() => setTurn(true)) : undefined, [waits]);
  return isTurn;
}
