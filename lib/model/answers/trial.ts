/** What a page that is not a stream yet is like, as the form tells it. Pure. */

export interface TriedPage {
  /** The address as it would be stored. */
  url: string;
  /** On one line; "" when it has none. */
  title: string;
  /** HTTP status of the page; null when there was no answer. */
  status: number | null;
  /** What is wrong with it, in a sentence; null: nothing. */
  problem: string | null;
  /** What the address is, where that is no page, in the middle of a sentence; null: it is one. */
  media: string | null;
  /** Whether it asks for a login: in a form, by HTTP, or not. */
  login: "form" | "http" | null;
  /** A JPEG in base64; null when there was nothing to see. */
  picture: string | null;
  /** Stored secrets of the edited stream that were not used, and why, in a sentence each. */
  leftOut: string[];
}

/** Of the stream that a tried page has for some seconds. No stream can have it: addresses below /api/streams/ have. */
export const TRIAL_ID = "try";
