import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { FIELDS, labelOf } from "../../../lib/model/fields.ts";
import { isTriedField } from "../../../lib/model/page_settings.ts";
import type { StreamFields } from "../../../lib/model/schema.ts";
import { ApiError, problemOf } from "../../client/api.ts";
import { readForm } from "../controls.ts";
import { loadValidation } from "../loadValidation.ts";
import { trialBody, tryPage } from "../try/trials.ts";
import type { TriedPage } from "../../../lib/model/answers/shapes.ts";

/** The pause after the last change: each preview starts a browser. */
const SETTLE_MS = 1200;
/** The pause before another try while the service tries another page. */
const RETRY_MS = 4000;
const RETRIES = 6;

export interface Preview {
  isWorking: boolean;
  /** The last preview that came. */
  tried: TriedPage | null;
  /** Why there is no newer preview. */
  problem: string | null;
}

/**
 * The page's look with the values of the form around `root`: the preview is renewed when the fields have settled, until
 * `root` is gone.
 * @param stream the id of the stream that is edited.
 */
export function usePreview(root: RefObject<HTMLElement>, defaults: StreamFields, stream?: string) {
  const [preview, setPreview] = useState<Preview>({ isWorking: false, tried: null, problem: null });
  const renew = useRef(() => {});
  useEffect(() => {
    const form = root.current!.closest("form")!;
    let newest = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asked = "";

    const show = (change: Partial<Preview>) => setPreview((shown) => ({ ...shown, ...change }));

    async function look(retries = RETRIES) {
      const body = trialBody(form, defaults, stream);
      const text = JSON.stringify(body);
      if (text === asked) return;
      newest.abort();
      const { signal } = newest = new AbortController();
      asked = text;
      const isAddressed = body.url.trim() !== "";
      show({ isWorking: isAddressed, problem: null, ...(isAddressed ? {} : { tried: null }) });
      if (!isAddressed) return;
      const problem = await knownProblem(readForm(form));
      if (signal.aborted) return;
      if (problem !== null) return show({ isWorking: false, problem });
      try {
        const tried = await tryPage(body, signal);
        if (!signal.aborted) show({ isWorking: false, tried });
      } catch (error) {
        if (signal.aborted) return;
        asked = "";
        if (error instanceof ApiError && error.status === 409 && retries > 0) {
          timer = setTimeout(() => look(retries - 1), RETRY_MS);
        } else show({ isWorking: false, problem: firstOf(error) });
      }
    }

    function settle(event: Event) {
      const { name } = event.target as HTMLInputElement;
      // an address counts once it is complete
      const isOurs = event.type === "change" ? name === "url" : isTriedField(name) || isSecretsChoice(event);
      if (!isOurs) return;
      clearTimeout(timer);
      timer = setTimeout(look, SETTLE_MS);
    }

    renew.current = () => {
      clearTimeout(timer);
      asked = "";
      void look();
    };
    form.addEventListener("input", settle);
    form.addEventListener("change", settle);
    void look();
    return () => {
      clearTimeout(timer);
      newest.abort();
      form.removeEventListener("input", settle);
      form.removeEventListener("change", settle);
    };
  }, []);
  return { ...preview, renew: () => renew.current() };
}

/** Whether the event chooses to keep, change or clear a stored secret: that choice has no control of its own. */
function isSecretsChoice({ target }: Event): boolean {
  return (target as Element).matches(".password");
}

/**
 * The problem for which the service would refuse the values; null: there is none, or the rules cannot be loaded. The
 * form shows a field's problem at the field.
 */
async function knownProblem(values: Record<string, unknown>): Promise<string | null> {
  const problems = await loadValidation().then((rules) => rules.problemsOf(values), () => ({}));
  const wrong = FIELDS.find((field) => field in problems && (field === "url" || isTriedField(field)));
  return wrong === undefined ? null : `Correct “${labelOf(wrong)}” first.`;
}

/** The problem of a field, or of the whole request. */
function firstOf(error: unknown): string {
  return error instanceof ApiError && Object.values(error.fields)[0] || problemOf(error);
}
