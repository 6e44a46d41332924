/** What the API tells of the webhook, without its address: that may hold a secret. */

/** How a message, or a try of it, ended. */
export interface Delivery {
  isDelivered: boolean;
  /** Of the receiver's answer; null when there was none. */
  status: number | null;
  /** What is wrong, in words for people; "" when nothing is. */
  problem: string;
}

export interface WebhookInfo {
  /** The receiver's host, and its port if it is not the usual one. */
  host: string;
  format: string;
  isSigned: boolean;
  /** Seconds that a stream must be down before it is told. */
  afterSeconds: number;
  /** Messages that were not delivered yet. */
  waiting: number;
  /** The newest try since the web app's start; `at` is Unix ms. */
  last: (Delivery & { at: number }) | null;
}
