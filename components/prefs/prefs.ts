/** The viewer's preferences, and their reading from a storage that may have any content. Pure. */
import { CARD_SIZES, type CardSize } from "./cardSize.ts";
import { parseObject } from "./storage.ts";

export const THEMES = ["auto", "light", "dark"] as const;

export type Theme = typeof THEMES[number];

/** The entry `global-prefs`. */
export interface GlobalPrefs {
  /** Play Stream opens the .m3u8, Run HTML opens /player/{id}.html. */
  pureMode: boolean;
  openNewTab: boolean;
  /** Whether player pages reload themselves regularly. */
  reloadClient: boolean;
  /** Minutes between the reloads, 1 to 10080. */
  reloadClientTime: number;
  cardSize: CardSize;
  theme: Theme;
}

/** The values where neither the viewer nor the service's operator chose. */
export const DEFAULT_PREFS: GlobalPrefs = {
  pureMode: false,
  openNewTab: false,
  reloadClient: false,
  reloadClientTime: 60,
  cardSize: "md",
  theme: "auto",
};

/** An entry `card-prefs-{id}`: the values in which a card differs. */
export type CardPrefs = Partial<Pick<GlobalPrefs, "pureMode" | "openNewTab">>;

export const GLOBAL_KEY = "global-prefs";
const CARD_KEY = "card-prefs-";

export const cardKey = (id: string) => CARD_KEY + id;
export const isCardKey = (key: string) => key.startsWith(CARD_KEY);
export const cardOfKey = (key: string) => key.slice(CARD_KEY.length);

export const MAX_RELOAD_MINUTES = 10_080;

const isFlag = (value: unknown) => typeof value === "boolean";
const VALID: { [Name in keyof GlobalPrefs]: (value: unknown) => boolean } = {
  pureMode: isFlag,
  openNewTab: isFlag,
  reloadClient: isFlag,
  reloadClientTime: (value) => Number.isInteger(value) && value as number >= 1 && isAtMostAWeek(value),
  cardSize: (value) => CARD_SIZES.includes(value as CardSize),
  theme: (value) => THEMES.includes(value as Theme),
};

const isAtMostAWeek = (value: unknown) => value as number <= MAX_RELOAD_MINUTES;

/** The fields of a stored text that can be used; all others are left out. Never throws. */
export function readPrefs(text: string | null): Partial<GlobalPrefs> {
  return validPrefs(parseObject(text));
}

/** The result of readPrefs, reduced to the two fields that a card may have of its own. */
export function readCardPrefs(text: string | null): CardPrefs {
  const { pureMode, openNewTab } = readPrefs(text);
  return {
    ...(pureMode === undefined ? {} : { pureMode }),
    ...(openNewTab === undefined ? {} : { openNewTab }),
  };
}

/** Whether no field is missing: the page then does not ask for the service's defaults. */
export function isComplete(prefs: Partial<GlobalPrefs>): prefs is GlobalPrefs {
  return Object.keys(VALID).every((name) => name in prefs);
}

/** The service's defaults in the answer of GET /api/config; absent or invalid fields are left out. */
export function configPrefs(config: object): Partial<GlobalPrefs> {
  const settings = config as Record<string, unknown>;
  return validPrefs({
    pureMode: settings.DEFAULT_PURE_MODE,
    openNewTab: settings.DEFAULT_OPEN_NEW_TAB,
    reloadClient: settings.DEFAULT_RELOAD_CLIENT,
    reloadClientTime: settings.DEFAULT_RELOAD_CLIENT_TIME,
  });
}

/** The card's values that differ from the general settings: a card set back to them follows them again. */
export function cardDifferences(card: CardPrefs, general: GlobalPrefs): CardPrefs {
  const differs = ([name, value]: [string, boolean]) => value !== general[name as keyof CardPrefs];
  return Object.fromEntries(Object.entries(card).filter(differs));
}

function validPrefs(values: Record<string, unknown>): Partial<GlobalPrefs> {
  const isValid = ([name, check]: [string, (value: unknown) => boolean]) =>
    Object.hasOwn(values, name) && check(values[name]);
  return Object.fromEntries(Object.entries(VALID).filter(isValid).map(([name]) => [name, values[name]]));
}
