import type { CDPSession, Page } from "playwright-core";

/** One finger on a touch screen, by the browser's own input events. */
export class Finger {
  readonly #client: CDPSession;
  #at = { x: 0, y: 0 };

  private constructor(client: CDPSession) {
    this.#client = client;
  }

  /** @param page of a context with `hasTouch`. */
  static async on(page: Page): Promise<Finger> {
    return new Finger(await page.context().newCDPSession(page));
  }

  async down(x: number, y: number): Promise<void> {
    this.#at = { x, y };
    await this.#send("touchStart");
  }

  /** Moves in so many steps, as a hand does. */
  async move(x: number, y: number, steps: number): Promise<void> {
    const from = this.#at;
    for (let step = 1; step <= steps; step++) {
      this.#at = {
        x: from.x + (x - from.x) * step / steps,
        y: from.y + (y - from.y) * step / steps,
      };
      await this.#send("touchMove");
      await new Promise((done) => setTimeout(done, 16));
    }
  }

  async up(): Promise<void> {
    await this.#client.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  }

  /** The system takes the touch over: it ends without a tap. */
  async cancel(): Promise<void> {
    await this.#client.send("Input.dispatchTouchEvent", { type: "touchCancel", touchPoints: [] });
  }

  #send(type: "touchStart" | "touchMove"): Promise<unknown> {
    return this.#client.send("Input.dispatchTouchEvent", { type, touchPoints: [this.#at] });
  }
}
