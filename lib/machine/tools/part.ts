/** A long-lived part of the service. service.ts starts the parts in one order, and stops them in the reverse order. */
export interface Part {
  /** Starts the part's work in the background; is called once. */
  start(): void;
  /** Starts no new work; resolves when the work under way has ended. May be called again. */
  stop(): Promise<void>;
}
