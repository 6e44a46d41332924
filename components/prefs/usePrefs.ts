import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api } from "../client/api.ts";
import { applyTheme } from "./theme.ts";
import {
  cardDifferences,
  cardKey,
  cardOfKey,
  type CardPrefs,
  configPrefs,
  GLOBAL_KEY,
  type GlobalPrefs,
  isCardKey,
  isComplete,
  readCardPrefs,
  readPrefs,
} from "./prefs.ts";
import { SafeStorage } from "./storage.ts";

export interface Prefs {
  general: GlobalPrefs;
  setGeneral: (change: Partial<GlobalPrefs>) => void;
  /** Goes back to the settings of the service's operator. */
  reset: () => void;
  /** The values for a card. */
  of: (id: string) => Required<CardPrefs>;
  setCard: (id: string, change: CardPrefs) => void;
  /** Removes the entries of cards that are gone. */
  pruneCards: (ids: string[]) => void;
}

/** The viewer's preferences in localStorage. The first render has `defaults`, as the server's HTML. */
export function usePrefs(defaults: GlobalPrefs): Prefs {
  const storage = useRef<SafeStorage>();
  const general = useSignal(defaults);
  const cards = useSignal<ReadonlyMap<string, CardPrefs>>(new Map());
  const isTelevision = useSignal(false);
  const store = () => storage.current ??= new SafeStorage();

  function readGeneral() {
    general.value = { ...defaults, ...readPrefs(store().get(GLOBAL_KEY)) };
    applyTheme(general.value);
  }

  function readCards() {
    const next = new Map<string, CardPrefs>();
    for (const key of store().keys().filter(isCardKey)) {
      const prefs = readCardPrefs(store().get(key));
      if (Object.keys(prefs).length > 0) next.set(cardOfKey(key), prefs);
      else store().remove(key);
    }
    cards.value = next;
  }

  /** Without an answer the entry stays unchanged and is filled the next time. */
  async function fill() {
    if (isComplete(readPrefs(store().get(GLOBAL_KEY)))) return;
    const config = await api.config().catch(() => null);
    if (!config) return;
    const filled = { ...defaults, ...configPrefs(config), ...readPrefs(store().get(GLOBAL_KEY)) };
    store().set(GLOBAL_KEY, JSON.stringify(filled));
    readGeneral();
  }

  function setGeneral(change: Partial<GlobalPrefs>) {
    store().set(GLOBAL_KEY, JSON.stringify({ ...general.peek(), ...change }));
    readGeneral();
  }

  function reset() {
    store().remove(GLOBAL_KEY);
    readGeneral();
    fill();
  }

  function setCard(id: string, change: CardPrefs) {
    const next = cardDifferences({ ...cards.peek().get(id), ...change }, general.peek());
    if (Object.keys(next).length > 0) store().set(cardKey(id), JSON.stringify(next));
    else store().remove(cardKey(id));
    readCards();
  }

  function pruneCards(ids: string[]) {
    const existing = new Set(ids);
    const gone = store().keys().filter((key) => isCardKey(key) && !existing.has(cardOfKey(key)));
    for (const key of gone) store().remove(key);
    if (gone.length > 0) readCards();
  }

  useEffect(() => {
    isTelevision.value = "tv" in document.documentElement.dataset;
    function changedElsewhere({ key }: StorageEvent) {
      store().forget(key);
      if (key === null || key === GLOBAL_KEY) readGeneral();
      if (key === null || isCardKey(key)) readCards();
    }
    readGeneral();
    readCards();
    fill();
    addEventListener("storage", changedElsewhere);
    return () => removeEventListener("storage", changedElsewhere);
  }, []);

  return {
    general: general.value,
    setGeneral,
    reset,
    of: (id) => {
      const { pureMode, openNewTab } = { ...general.value, ...cards.value.get(id) };
      // a television shows one tab, and its Back key leads out of no other tab
      return { pureMode, openNewTab: openNewTab && !isTelevision.value };
    },
    setCard,
    pruneCards,
  };
}
