/**
 * The login form of a page. This code runs in the page's isolated world, where no script of the page sees the code or
 * changes its view; so the code is one function that uses nothing from outside. The function looks into open shadow
 * roots and into frames of the same origin.
 */

/** The login step that a page asks for. */
export type Asks =
  | "nothing"
  /** The form is not known yet. */
  | "loading"
  /** Only a user name; the password comes next. */
  | "user"
  | "password"
  /** From here to "account": only a person has the answer, or may decide. */
  | "code"
  | "new-password"
  | "account"
  /** Whether to stay signed in; our answer is yes. */
  | "stay";

export interface Form {
  asks: Asks;
  /** The origin that gets the form. */
  sendsTo: string;
  /** The page's own message about a problem; "": there is no message. */
  message: string;
  /** The form has a password that this code has not typed. */
  isInUse: boolean;
}

/** A step: `send` clicks the form's button and says whether there is a button; `focus` is for the Enter key. */
export type Step = "find" | "fill" | "send" | "focus";

/**
 * Runs a step in the page's isolated world.
 * @returns the form; for `send` whether there was a button to click.
 */
export function loginForm(step: Step, user: string, pass: string): Form | boolean {
  const MOST_ELEMENTS = 50_000;
  const LABELS = ["name", "id", "autocomplete", "placeholder", "aria-label"];
  // pages make their fields anew and fill in the values of the old fields
  const world = globalThis as unknown as { typed?: string };

  const isShown = (element: Element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.getClientRects().length > 0;

  /** Every element in the order people see them, through open shadow roots and frames of this very origin. */
  const elements: Element[] = [];
  const walk = (root: ParentNode) => {
    for (const element of root.querySelectorAll("*")) {
      if (elements.length >= MOST_ELEMENTS) return;
      elements.push(element);
      if (element.shadowRoot) walk(element.shadowRoot);
      if (!/^i?frame$/i.test(element.tagName) || !isShown(element)) continue;
      const inner = (element as HTMLIFrameElement).contentDocument;
      // pages that share a part of their host can reach each other without having the same origin
      if (inner?.defaultView?.origin === self.origin) walk(inner);
    }
  };
  walk(document);

  const isUsable = (element: Element) =>
    element.tagName === "INPUT" && !(element as HTMLInputElement).disabled &&
    !(element as HTMLInputElement).readOnly && isShown(element);
  const inputs = elements.filter(isUsable) as HTMLInputElement[];
  const labelOf = (field: HTMLInputElement) =>
    [
      ...LABELS.map((name) => field.getAttribute(name)),
      ...[...field.labels ?? []].map((one) => one.textContent),
    ]
      .join(" ").slice(0, 500);
  const isText = ({ type }: HTMLInputElement) => /^(text|email|tel)$/.test(type);
  const isName = (field: HTMLInputElement) =>
    isText(field) && /user|login|mail|name|account|identif|benutzer/i.test(labelOf(field));
  const textOf = (element: Element) =>
    [element.textContent, element.getAttribute("value"), element.getAttribute("aria-label")]
      .concat(element.getAttribute("label")).join(" ").replace(/\s+/g, " ").trim().slice(0, 300);

  const passwords = inputs.filter(({ type }) => type === "password");
  const [password] = passwords as (HTMLInputElement | undefined)[];
  const scope = password?.form ? inputs.filter(({ form }) => form === password.form) : inputs;
  const before = password ? scope.slice(0, scope.indexOf(password)) : inputs;
  const texts = inputs.filter(isText);

  /** A page with one field is a login's first step only if the page says so: others have a search or a newsletter. */
  const isFirstStep = (field: HTMLInputElement | undefined) => {
    if (!field || !user || texts.length !== 1 || !isName(field)) return false;
    if (/\busername\b/.test(field.autocomplete)) return true;
    const headings = elements.filter((one) => /^(H1|H2|BUTTON|LEGEND)$/.test(one.tagName)).slice(0, 50);
    const about = [location.pathname, document.title, ...headings.map(textOf)].join(" ");
    return /log.?[io]n|sign.?[io]n|anmeld|\bsso\b|\bauth|identif/i.test(about);
  };
  const isButton = (element: Element) =>
    /^(BUTTON|.*-BUTTON)$/.test(element.tagName) || element.getAttribute("role") === "button" ||
    (element.tagName === "INPUT" && /^(submit|button|image)$/.test((element as HTMLInputElement).type));
  const canClick = (element: Element) =>
    isButton(element) && isShown(element) && !(element as HTMLButtonElement).disabled;
  /** A question between the password and the page: the question has at least one button, and no field. */
  const question = (): Asks => {
    if (texts.length > 0 || !elements.some(canClick)) return "nothing";
    const headings = elements.filter((one) => one.matches("h1, h2, legend, [role=heading]")).slice(0, 20);
    const about = [document.title, ...headings.map(textOf)].join(" ");
    const STAY =
      /(?:stay|remain|keep (?:me|you)) (?:signed|logged) in|angemeldet bleiben|rester connect|mantener la sesi|permanec\w+ conectad|aangemeld blijven|resta connesso/i;
    const ACCOUNT =
      /(?:pick|choose|select) an account|konto ausw|choisi\w+ un compte|elig\w+ una cuenta|account kiezen|scegli un account/i;
    return STAY.test(about) ? "stay" : ACCOUNT.test(about) ? "account" : "nothing";
  };
  const CODE = /one-time-code|otp|2fa|mfa|one.?time|verification.?code|authenticator/i;

  const name = password ? before.filter(isName).at(-1) ?? before.filter(isText).at(-1) : inputs.find(isName);
  const isNew = passwords.filter(({ form }) => form === password?.form).length > 1 ||
    password?.autocomplete === "new-password";
  const asks: Asks = document.readyState === "loading"
    ? "loading"
    : password
    ? isNew ? "new-password" : "password"
    : texts.length === 1 && CODE.test(labelOf(texts[0]))
    ? "code"
    : isFirstStep(name)
    ? "user"
    : question();
  if (asks === "stay" || asks === "account") {
    const YES = /^(?:yes|ja|oui|s[ií]|sì|sim|tak|да|はい|是)[.!]?$/i;
    const yes = elements.filter(canClick).find((one) =>
      YES.test(one.getAttribute("value") ?? one.textContent?.trim() ?? "")
    );
    if (step === "send") (yes as HTMLElement | undefined)?.click();
    if (step === "send" || step === "focus") return yes !== undefined;
    return {
      asks: yes || asks === "account" ? asks : "account",
      sendsTo: self.origin,
      message: "",
      isInUse: false,
    };
  }
  if (asks === "nothing" || asks === "loading") {
    return step === "find" || step === "fill" ? { asks, sendsTo: "", message: "", isInUse: false } : false;
  }
  const field = (password ?? name ?? texts[0])!;
  const form = field.form;

  const SENDS =
    /log.?[io]n|sign.?[io]n|anmeld|einlogg|next|continue|weiter|submit|connexion|suivant|acceder|entrar/i;
  const ofForm = form ? [...form.elements, ...form.querySelectorAll("input[type=image]")] : [];
  const after = elements.slice(elements.indexOf(field)).filter(canClick);
  const button = ofForm.find((one) => canClick(one) && (one as HTMLButtonElement).type === "submit") ??
    ofForm.find((one) => canClick(one) && (one as HTMLInputElement).type === "image") ??
    after.find((one) => SENDS.test(textOf(one)));

  if (step === "focus") field.focus();
  if (step === "send") (button as HTMLElement | undefined)?.click();
  if (step === "focus" || step === "send") return button !== undefined;

  if (step === "fill") {
    const type = (into: HTMLInputElement, value: string) => {
      into.focus();
      into.select();
      // in the field's own document, wherever the focus is now: keys would go to another site's frame with the focus
      into.ownerDocument.execCommand("insertText", false, value);
      if (into.value !== value) {
        // by the prototype's setter, since frameworks shadow `value` and would otherwise not see the change
        const { prototype } =
          (into.ownerDocument.defaultView as unknown as typeof globalThis).HTMLInputElement;
        Object.getOwnPropertyDescriptor(prototype, "value")!.set!.call(into, value);
        into.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
      }
      into.dispatchEvent(new Event("change", { bubbles: true }));
    };
    if (name && user && name.value !== user) type(name, user);
    if (password && asks === "password") type(password, world.typed = pass);
  }

  // the property would be a field with the name "action"
  const action = button?.getAttribute("formaction") ?? form?.getAttribute("action") ?? "";
  const own = (field.ownerDocument.defaultView as Window).origin;
  const sendsTo = /^\s*javascript:/i.test(action) ? own : new URL(action, field.ownerDocument.baseURI).origin;
  const SAYS =
    "[role=alert],[aria-live=assertive],ha-alert,.alert,.error,.errors,.invalid-feedback,.msg-bad,.red," +
    ".kc-feedback-text,.text-danger,[class*=error i],[id*=error i]";
  const says = elements.find((one) => one.matches(SAYS) && isShown(one) && textOf(one) !== "");
  return {
    asks,
    sendsTo,
    message: says ? textOf(says) : "",
    isInUse: password !== undefined && password.value !== "" && password.value !== world.typed,
  };
}

/**
 * Finds the form of a page on which no helper signs in. The call gives a user name: without a user name, a form that
 * first asks only for the user name does not count as a login.
 */
export const FIND_FORM = `(${loginForm})("find", "user", "")`;
