/** The size of the streams on the board. Pure. */

/** Cards of four sizes, or the rows of a table. */
export const CARD_SIZES = ["mini", "sm", "md", "lg", "table"] as const;

export type CardSize = typeof CARD_SIZES[number];

export const CARD_SIZE_WORDS: Readonly<Record<CardSize, string>> = {
  mini: "Mini",
  sm: "Small",
  md: "Medium",
  lg: "Large",
  table: "Table",
};
