/** The result of a check. */
export interface Finding {
  /** A warning costs no picture; with "skipped", `says` is the reason. */
  state: "ok" | "warning" | "problem" | "skipped";
  /** A sentence for people. */
  says: string;
  /** The remedy, for people. */
  remedy?: string;
}

export const ok = (says: string): Finding => ({ state: "ok", says });
export const skipped = (says: string): Finding => ({ state: "skipped", says });
export const warning = (says: string, remedy?: string): Finding => ({ state: "warning", says, remedy });
export const problem = (says: string, remedy?: string): Finding => ({ state: "problem", says, remedy });
