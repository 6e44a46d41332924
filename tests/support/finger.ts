import type { CDPSession, Page } from "playwright-core";

type Point = readonly [x: number, y: number];

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

/** Moves two fingers side by side, as a hand does. @param page of a context with `hasTouch`. */
export async function moveTwoFingers(page: Page, from: [Point, Point], to: [Point, Point]): Promise<void> {
  const client = await page.context().newCDPSession(page);
  const steps = 10;
  const send = (type: string, touchPoints: { x: number; y: number; id: number }[]) =>
    client.send("Input.dispatchTouchEvent", { type: type as "touchMove", touchPoints });
  for (let step = 0; step <= steps; step++) {
    const points = from.map(([x, y], id) => ({
      x: x + (to[id][0] - x) * step / steps,
      y: y + (to[id][1] - y) * step / steps,
      id,
    }));
    await send(step === 0 ? "touchStart" : "touchMove", points);
    await new Promise((done) => setTimeout(done, 16));
  }
  await send("touchEnd", []);
  await client.detach();
}
