import { useState } from "preact/hooks";
import type { Delivery } from "../../lib/model/answers/shapes.ts";
import { problemOf } from "../client/api.ts";

/** A test of a receiver, and what came of it. */
export function useTest(send: () => Promise<Delivery>) {
  const [isTesting, setTesting] = useState(false);
  const [result, setResult] = useState<Delivery | null>(null);
  async function test() {
    if (isTesting) return;
    setTesting(true);
    setResult(null);
    setResult(
      await send().catch((error) => ({ isDelivered: false, status: null, problem: problemOf(error) })),
    );
    setTesting(false);
  }
  return { isTesting, result, test };
}
