/**
 * The login form of a page. This code runs in the page's isolated world, where no script of the page sees the code or
 * changes its view; so the code is one function that uses nothing from outside. The function looks into open shadow
 * roots and into frames of the same origin.
 */
import { type LoginWords, WORDS_EXPRESSION } from "./words.ts";

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
  /** To press a button, on a page without a form: another site asks the rest. */
  | "button"
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
  /** The page shows something else, and its login stands beside that, as in forums. */
  isBeside: boolean;
  /** The page itself says that it is for signing in. */
  saysLogin: boolean;
}

/** A step: `send` clicks the form's button and says whether there is a button; `focus` is for the Enter key. */
export type Step = "find" | "fill" | "send" | "focus";

/**
 * Runs a step in the page's isolated world.
 * @returns the form; for `send` whether there was a button to click.
 */
export function loginForm(words: LoginWords, step: Step, user: string, pass: string): Form | boolean {
  const MOST_ELEMENTS = 50_000;
  /** Most characters on a login page: a page with more has a login beside its content, as forums do. */
  const MOST_TEXT = 3000;
  /** Most characters on a page without content, and on one of nothing but a button. */
  const [LITTLE_TEXT, NO_TEXT] = [600, 200];
  /** A table with so many rows is content, and pictures on so much of the window are. */
  const [MANY_ROWS, LARGE_PART] = [4, 1 / 3];
  const LABELS = ["name", "id", "autocomplete", "placeholder", "aria-label"];
  // pages make their fields anew and fill in the values of the old fields
  const world = globalThis as unknown as { typed?: string };

  const isShown = (element: Element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.getClientRects().length > 0;

  /** Every element in the order people see them, through open shadow roots and frames of this very origin. */
  const elements: Element[] = [];
  /** The text that is shown; beyond very much text, no further shadow root or frame is read. */
  let shown = "";
  const read = (element: Element | null) => {
    if (!element || shown.length > MOST_TEXT || /^(style|script|template|link)$/i.test(element.tagName)) {
      return;
    }
    if (getComputedStyle(element).display === "none") return;
    shown += `${(element as HTMLElement).innerText ?? ""}\n`;
  };
  const walk = (root: Document | ShadowRoot) => {
    if ("body" in root) read(root.body);
    else for (const child of root.children) read(child);
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

  const textOf = (element: Element) =>
    [element.textContent, element.getAttribute("value"), element.getAttribute("aria-label")]
      .concat(element.getAttribute("label")).join(" ").replace(/\s+/g, " ").trim().slice(0, 300);
  const attributesOf = (element: Element | null) =>
    ["id", "name", "class", "role", "action", "aria-label"].map((one) => element?.getAttribute(one) ?? "")
      .join(" ").slice(0, 500);
  const headings = elements.filter((one) => one.matches("h1, h2, legend, [role=heading]") && isShown(one))
    .slice(0, 50);
  const headingBefore = (element: Element) => {
    const at = elements.indexOf(element);
    return headings.findLast((one) => elements.indexOf(one) < at);
  };
  const isButton = (element: Element) =>
    /^(BUTTON|.*-BUTTON)$/.test(element.tagName) || element.getAttribute("role") === "button" ||
    (element.tagName === "INPUT" && /^(submit|button|image)$/.test((element as HTMLInputElement).type));
  const canClick = (element: Element) =>
    isButton(element) && isShown(element) && !(element as HTMLButtonElement).disabled;

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
  /** A search or a newsletter, not a login. */
  const isOther = (field: HTMLInputElement) =>
    words.other.test(labelOf(field)) || words.other.test(attributesOf(field.form)) ||
    field.closest("[role=search], search") !== null;
  const isText = ({ type }: HTMLInputElement) => /^(text|email|tel|number)$/.test(type);
  const isName = (field: HTMLInputElement) =>
    isText(field) && !isOther(field) && (words.user.test(labelOf(field)) || /name/i.test(labelOf(field)));
  /** A box for one character of a code. */
  const isBox = ({ maxLength, max, size, type }: HTMLInputElement) =>
    maxLength === 1 || size === 1 || (type === "number" && max === "9");
  const isHiddenCode = (field: HTMLInputElement) =>
    field.type === "password" && (isBox(field) || field.autocomplete === "one-time-code");

  const texts = inputs.filter((one) => (isText(one) && !isOther(one)) || isHiddenCode(one));
  /** The passwords that are sent together: those of a form, or without a form those between two other fields. */
  const groups: HTMLInputElement[][] = [];
  let formless: HTMLInputElement[] | undefined;
  for (const one of inputs) {
    if (one.type !== "password" || isHiddenCode(one)) {
      if (isText(one) && !one.form) formless = undefined;
      continue;
    }
    const known = one.form ? groups.find(([first]) => first.form === one.form) : formless;
    if (known) known.push(one);
    else groups.push([one]);
    if (!one.form) formless = known ?? groups.at(-1);
  }
  const isSignUp = (field: HTMLInputElement) => {
    const after = elements.slice(elements.indexOf(field)).filter(canClick).map(textOf);
    const button = after.find((text) => words.signUp.test(text) || words.sends.test(text)) ?? "";
    return words.signUp.test(button) && !words.login.test(button);
  };
  const isNewGroup = (group: HTMLInputElement[]) =>
    group.length > 1 || /\bnew-password\b/.test(group[0].autocomplete) ||
    (groups.length > 1 && isSignUp(group[0]));
  const group = groups.find((one) => !isNewGroup(one)) ?? groups.at(0);
  const password = group?.[0];
  const scope = password?.form ? inputs.filter(({ form }) => form === password.form) : inputs;
  const before = password ? scope.slice(0, scope.indexOf(password)) : inputs;

  const titles = document.title.split(/\s+[-–—|·•:»]\s+/);
  /** Whether a heading belongs to a login, and not to an article about logins. */
  const isHeading = (text: string) =>
    text.trim().length <= 50 && words.login.test(text) && !words.howTo.test(text);
  const { pathname, hash, search } = location;
  const isAddress = words.loginAddress.test(pathname + hash) || words.loginAddress.test(search);
  const saysLogin = isAddress || titles.some(isHeading);
  /** The page's own heading names a login, and not only the heading of a box on the page. */
  const isPageHeading = headings.length > 0 && headings[0].matches("h1") && isHeading(textOf(headings[0]));
  const isFirstHeading = isPageHeading || (headings.length === 1 && isHeading(textOf(headings[0])));

  /** The buttons of a field's form, or without a form those nearest to the field. */
  const buttonsOf = (field: HTMLInputElement): Element[] => {
    if (field.form) return [...field.form.elements].filter(canClick);
    let around: Element | null = field.parentElement;
    for (let up = 0; around && up < 4; up++, around = around.parentElement) {
      const buttons = [...around.querySelectorAll("*")].filter(canClick);
      if (buttons.length > 0) return buttons;
    }
    return [];
  };
  /** A page with one field is a login's first step only if the page says so: others have a search or a newsletter. */
  const isFirstStep = (field: HTMLInputElement | undefined) => {
    if (!field || !user || texts.length !== 1 || !words.user.test(labelOf(field))) return false;
    if (/\busername\b/.test(field.autocomplete)) return true;
    const heading = headingBefore(field);
    const around = [heading, field.form, ...buttonsOf(field)].filter((one) => one != null).map(textOf);
    if (/filter/i.test(labelOf(field)) || around.some((text) => words.other.test(text))) return false;
    if (saysLogin || isFirstHeading || words.login.test(attributesOf(field.form))) return true;
    // the button of a newsletter may say the same in German and Dutch
    const buttons = shown.length <= LITTLE_TEXT ? buttonsOf(field) : [];
    return [heading, ...buttons].some((one) => one !== undefined && isHeading(textOf(one)));
  };
  const isCode = () => {
    if (password || texts.length === 0) return false;
    const about = [...titles, ...headings.map(textOf), shown.length <= LITTLE_TEXT ? shown : ""];
    const isSure = about.some((text) => words.code.test(text) || words.codeAbout.test(text));
    const isAsked = isSure || about.some((text) => words.codeAsked.test(text));
    if (texts.length >= 4 && texts.length <= 8 && texts.every(isBox)) {
      return isAsked || saysLogin || isFirstHeading ||
        texts.some((one) => words.codeField.test(labelOf(one)));
    }
    if (texts.length !== 1) return false;
    const [field] = texts;
    if (isHiddenCode(field) || words.code.test(labelOf(field))) return true;
    const isNumber = /^(tel|number)$/.test(field.type) || field.inputMode === "numeric";
    const isShort = field.maxLength >= 4 && field.maxLength <= 10;
    return (isAsked && (isNumber || isShort)) || (isSure && words.codeField.test(labelOf(field)));
  };

  const rows = (table: Element) => (table as HTMLTableElement).rows?.length ?? 0;
  const hasTable = (around?: Element) =>
    elements.some((one) =>
      one.tagName === "TABLE" && rows(one) >= MANY_ROWS && isShown(one) && !(around && one.contains(around))
    );
  /** Whether pictures, videos, drawings and other sites' frames fill a large part of the page. */
  const isPicture = () => {
    let area = 0;
    for (const one of elements) {
      const isFrame = /^i?frame$/i.test(one.tagName) && !(one as HTMLIFrameElement).contentDocument;
      if (!isFrame && !/^(img|canvas|video|svg|object|embed)$/i.test(one.tagName) || !isShown(one)) continue;
      const { left, top, right, bottom } = one.getBoundingClientRect();
      const width = Math.min(right, innerWidth) - Math.max(left, 0);
      const height = Math.min(bottom, innerHeight) - Math.max(top, 0);
      area += Math.max(0, width) * Math.max(0, height);
    }
    return area > innerWidth * innerHeight * LARGE_PART;
  };
  /** Whether an element stands in a bar of a page that has more to show: at least so many characters. */
  const isInBar = (element: Element | undefined, least: number) => {
    const bar = element?.closest("header, nav, footer, [role=banner], [role=navigation]");
    return bar != null && bar.getBoundingClientRect().height < innerHeight / 3 &&
      shown.length - textOf(bar).length > least;
  };
  /** Whether an element shows nothing but a figure, such as "42 %" or "12:45". */
  const isFigure = (one: Element) =>
    one.childElementCount === 0 && !one.matches("script, style, a, button, option") &&
    /^[\s€$£+-]*\d[\d.,:\s]*\s*[%°a-zµ/]{0,6}$/i.test((one.textContent ?? "").slice(0, 40)) && isShown(one);

  /** The page shows next to nothing: no content that one could watch. */
  const isBare = () =>
    shown.length <= LITTLE_TEXT && !isPicture() && !hasTable() &&
    !elements.some((one) =>
      one.matches("canvas, video, object, embed, pre, meter, progress") && isShown(one)
    );
  /** Whether a page without a field signs in by a button, or says that its session has ended. */
  const isOnlyButton = () => {
    const isClickable = (one: Element) => canClick(one) || (one.matches("a[href]") && isShown(one));
    const isEntry = (one: Element) => {
      const text = textOf(one);
      return isClickable(one) && text.length <= 80 &&
        (words.login.test(text) || words.byOther.test(text) || words.ended.test(text));
    };
    const dialog = elements.findLast((one) =>
      one.matches("dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]") && isShown(one)
    );
    if (dialog) {
      const text = textOf(dialog);
      const isEnded = text.length < 300 && words.ended.test(text);
      if (isEnded && elements.some((one) => dialog.contains(one) && isEntry(one))) return true;
    }
    if (!isBare()) return false;
    const says = [document.title, ...headings.map(textOf)];
    if (says.some((text) => words.ended.test(text)) && elements.some(isClickable)) return true;
    const all = elements.filter(isEntry);
    if (all.length === 0) return false;
    if (saysLogin || words.ended.test(shown)) return true;
    const entries = all.filter((one) => !isInBar(one, 10));
    if (entries.length === 0 || elements.some(isFigure)) return false;
    const others = entries.reduce(
      (rest, one) => rest.replace((one as HTMLElement).innerText ?? "", ""),
      shown,
    );
    // a lobby's screen may say welcome, too, and have a link
    const isAlone = elements.filter(isClickable).length === 1 && canClick(entries[0]);
    return isFirstHeading || entries.some((one) => words.byOther.test(textOf(one))) ||
      words.login.test(others) ||
      (isAlone && shown.length <= NO_TEXT && words.welcome.test(shown));
  };
  /** A question between the password and the page: the question has at least one button, and no field. */
  const question = (): Asks => {
    if (texts.length > 0) return "nothing";
    const about = [document.title, ...headings.slice(0, 20).map(textOf)].join(" ");
    if (elements.some(canClick)) {
      if (words.stay.test(about)) return "stay";
      if (words.account.test(about)) return "account";
      if (words.step.test(about) && isBare() && !elements.some(isFigure)) return "account";
    }
    return isOnlyButton() ? "button" : "nothing";
  };

  const name = password ? before.filter(isName).at(-1) ?? before.filter(isText).at(-1) : inputs.find(isName);
  const asks: Asks = document.readyState === "loading"
    ? "loading"
    : password
    ? isNewGroup(group!) ? "new-password" : "password"
    : isCode()
    ? "code"
    : isFirstStep(name)
    ? "user"
    : question();

  /** The kind of page around the form: a login's own page, or another one. */
  const place = (): Pick<Form, "isBeside" | "saysLogin"> => {
    if (asks === "loading") return { isBeside: false, saysLogin };
    const field = password ?? texts[0];
    const isLong = () => shown.length > MOST_TEXT || hasTable(field) || isInBar(field, NO_TEXT);
    // many logins have a photograph at their side, or a film behind them
    const isFull = () => (!isPageHeading && isPicture()) || (asks === "nothing" && elements.some(isFigure));
    const isBeside = () => asks !== "button" && !saysLogin && ((!isFirstHeading && isLong()) || isFull());
    const about = [document.title, ...headings.slice(0, 5).map(textOf)];
    if (asks === "new-password") {
      return {
        isBeside: isBeside(),
        saysLogin: saysLogin || about.some((text) => words.password.test(text)),
      };
    }
    if (asks !== "nothing") return { isBeside: isBeside(), saysLogin };
    const isStep = about.some((text) => words.stepThere.test(text) || words.login.test(text));
    // the rest is looked at only on a page that speaks of a login
    const says = saysLogin || isStep || words.loginHost.test(location.hostname);
    return { isBeside: says && isBeside(), saysLogin: says };
  };
  if (asks === "stay" || asks === "account" || asks === "button") {
    const yes = elements.filter(canClick).find((one) =>
      words.yes.test(one.getAttribute("value") ?? one.textContent?.trim() ?? "")
    );
    if (asks === "stay" && step === "send") (yes as HTMLElement | undefined)?.click();
    if (step === "send" || step === "focus") return asks === "stay" && yes !== undefined;
    const asked: Asks = asks === "stay" && !yes ? "account" : asks;
    return { asks: asked, sendsTo: self.origin, message: "", isInUse: false, ...place() };
  }
  if (asks === "nothing" || asks === "loading") {
    const form = () => ({ asks, sendsTo: "", message: "", isInUse: false, ...place() });
    return step === "find" || step === "fill" ? form() : false;
  }
  const field = (password ?? name ?? texts[0])!;
  const form = field.form;

  const ofForm = form ? [...form.elements, ...form.querySelectorAll("input[type=image]")] : [];
  const after = elements.slice(elements.indexOf(field)).filter(canClick);
  const button = ofForm.find((one) => canClick(one) && (one as HTMLButtonElement).type === "submit") ??
    ofForm.find((one) => canClick(one) && (one as HTMLInputElement).type === "image") ??
    after.find((one) => words.sends.test(textOf(one)));

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
    ...place(),
  };
}

/** A step as an expression for an isolated world. */
export function formExpression(step: Step, user = "", pass = ""): string {
  return `(${loginForm})(${WORDS_EXPRESSION}, ${[step, user, pass].map((one) => JSON.stringify(one))})`;
}

/**
 * Finds the form of a page on which no helper signs in. The call gives a user name: without a user name, a form that
 * first asks only for the user name does not count as a login.
 */
export const FIND_FORM = formExpression("find", "user");
