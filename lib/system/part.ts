/** A long-lived part of the service. service.ts starts its parts in one order, and asks them to stop in the mirrored one. */
export interface Part {
  /** Starts its work in the background. Is called once. */
  start(): void;
  /** Starts nothing more; resolves when the work under way has ended. May be called again. */
  stop(): Promise<void>;
}
