/** What a check has found. */
export interface Finding {
  /** A warning costs no picture; "skipped" says why something was not looked at. */
  state: "ok" | "warning" | "problem" | "skipped";
  /** A sentence for people. */
  says: string;
  /** What to do, for people. */
  remedy?: string;
}

export const ok = (says: string): Finding => ({ state: "ok", says });
export const skipped = (says: string): Finding => ({ state: "skipped", says });
export const warning = (says: string, remedy?: string): Finding => ({ state: "warning", says, remedy });
export const problem = (says: string, remedy?: string): Finding => ({ state: "problem", says, remedy });
