import { useEffect, useState } from "preact/hooks";
import { api, problemOf } from "../client/api.ts";
import type { Delivery, WebhookInfo } from "../../lib/model/answers/shapes.ts";

/** The webhook's state, and its test. */
export function useWebhook() {
  /** undefined until the state has come; null: no webhook is set. */
  const [info, setInfo] = useState<WebhookInfo | null>();
  const [problem, setProblem] = useState("");
  const [isTesting, setTesting] = useState(false);
  const [result, setResult] = useState<Delivery | null>(null);

  async function load() {
    try {
      setInfo((await api.webhook()).webhook);
      setProblem("");
    } catch (error) {
      setProblem(problemOf(error));
    }
  }

  async function test() {
    if (isTesting) return;
    setTesting(true);
    setResult(null);
    try {
      setResult(await api.testWebhook());
    } catch (error) {
      setResult({ isDelivered: false, status: null, problem: problemOf(error) });
    } finally {
      setTesting(false);
    }
  }

  useEffect(() => void load(), []);

  return { info, problem, load, test, isTesting, result };
}
