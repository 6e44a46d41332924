import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { FIELDS, labelOf } from "../../../lib/model/fields.ts";
import { isPageField } from "../../../lib/model/page_settings.ts";
import type { StreamFields } from "../../../lib/model/schema.ts";
import { ApiError, problemOf } from "../../client/api.ts";
import { readForm } from "../controls.ts";
import { loadValidation } from "../loadValidation.ts";
import { trialBody, tryPage } from "../try/trials.ts";
import type { TriedPage } from "../../../lib/model/answers/shapes.ts";

/** After the last change: each preview is the start of a browser. */
const SETTLE_MS = 1200;
/** While another page is tried, for as long as that may take. */
const RETRY_MS = 4000;
const RETRIES = 6;

export interface Preview {
  isWorking: boolean;
  /** The last one that came. */
  tried: TriedPage | null;
  /** Why there is no newer one. */
  problem: string | null;
}

/**
 * The page as it would look with what stands in the form around `root`: renewed when its fields have settled, until `root`
 * is gone.
 * @param stream the id of the one that is edited.
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
      // an address counts when it is whole
      const isOurs = event.type === "change" ? name === "url" : isPageField(name) || isSecretsChoice(event);
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

/** Whether a stored secret is to be kept, changed or cleared from now on: that has no control of its own. */
function isSecretsChoice({ target }: Event): boolean {
  return (target as Element).matches(".password");
}

/**
 * What the service would refuse, known without asking it; null where nothing is, or the rules cannot be loaded. What is
 * wrong with a field is said at the field, by the form.
 */
async function knownProblem(values: Record<string, unknown>): Promise<string | null> {
  const problems = await loadValidation().then((rules) => rules.problemsOf(values), () => ({}));
  const wrong = FIELDS.find((field) => field in problems && (field === "url" || isPageField(field)));
  return wrong === undefined ? null : `Correct “${labelOf(wrong)}” first.`;
}

/** The problem of one field, or of all. */
function firstOf(error: unknown): string {
  return error instanceof ApiError && Object.values(error.fields)[0] || problemOf(error);
}
