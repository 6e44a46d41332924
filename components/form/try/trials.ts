/** The trials of a form's page. There is one trial at a time: a new request replaces it, an equal request shares it. */
import { isTriedField } from "../../../lib/model/page_settings.ts";
import type { StreamFields } from "../../../lib/model/schema.ts";
import { isSecret } from "../../../lib/model/secrets.ts";
import { api } from "../../client/api.ts";
import { readForm } from "../controls.ts";
import type { TriedPage } from "../../../lib/model/answers/shapes.ts";

/** The part of a form that is tried: the address, the settings of the page's look, and the statuses it may have. */
export interface TrialBody extends Record<string, unknown> {
  url: string;
  /** The id of the stream that is edited: its stored secrets are used. */
  stream?: string;
}

interface Trial {
  text: string;
  end: AbortController;
  waiting: number;
  answer: Promise<TriedPage>;
}

let running: Trial | null = null;
let asker = "";

/** @param stream the id of the stream that is edited. */
export function trialBody(form: HTMLFormElement, defaults: StreamFields, stream?: string): TrialBody {
  const { value: url } = form.elements.namedItem("url") as HTMLInputElement;
  const fields = Object.entries(readForm(form)).filter(([field, value]) =>
    isTriedField(field) &&
    // a stored secret that is cleared is sent as an empty value
    (stream !== undefined && isSecret(field) ||
      String(value) !== String(defaults[field as keyof StreamFields]))
  );
  return { url, ...(stream === undefined ? {} : { stream }), ...Object.fromEntries(fields) };
}

/** @throws {Error} also when a newer trial replaces this one, and when `signal` ends the wait. */
export function tryPage(body: TrialBody, signal: AbortSignal): Promise<TriedPage> {
  const text = JSON.stringify(body);
  if (running?.text !== text || running.end.signal.aborted) {
    running?.end.abort();
    running = begin(text, body);
  }
  const trial = running;
  trial.waiting++;
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => {
      if (--trial.waiting === 0) trial.end.abort();
      reject(signal.reason);
    }, { once: true });
    trial.answer.then(resolve, reject);
  });
}

function begin(text: string, body: TrialBody): Trial {
  asker ||= [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("-");
  const end = new AbortController();
  const answer = api.tryPage({ ...body, asker }, end.signal).catch((error) => {
    throw end.signal.aborted ? new Error("A newer trial replaced this one.") : error;
  }).finally(() => {
    if (running === trial) running = null;
  });
  const trial = { text, end, waiting: 0, answer };
  return trial;
}
