/** The autologin helper: fills in a page's login form and sends it. */
import { mayReceivePassword } from "../streams/login_origins.ts";
import { errorText } from "../system/log.ts";
import { sleep } from "../system/time.ts";
import { DevTools } from "./client.ts";
import { documentOf, isolatedWorld, isSameDocument } from "./document.ts";

/** How long to look for a login form after the browser's start, in ms: slow single-page apps need a while. */
const SEARCH_MS = 45_000;
const PAUSE_MS = 1000;

/** What the form asks for, and the origin it is sent to. */
interface Form {
  asks: "nothing" | "user" | "password";
  sendsTo: string;
}

/** In the page's isolated world: finds the login form, fills it in when asked to, sends it when asked to. */
function loginForm(step: "find" | "fill" | "send", user: string, pass: string): Form {
  const isShown = (field: HTMLElement) =>
    field.offsetParent !== null && !(field as HTMLInputElement).disabled;
  const fields = [...document.querySelectorAll("input")].filter(isShown);
  const password = fields.find((field) => field.type === "password");
  const isText = (field: HTMLInputElement) => /^(text|email|)$/.test(field.getAttribute("type") ?? "");
  const label = (field: HTMLInputElement) => `${field.name} ${field.id} ${field.autocomplete}`;
  const isName = (field: HTMLInputElement) =>
    isText(field) && /user|login|mail|name|account/i.test(`${label(field)} ${field.placeholder}`);
  const before = password ? fields.slice(0, fields.indexOf(password)) : fields;
  const name = before.filter(isName).at(-1) ?? (password ? before.filter(isText).at(-1) : undefined);
  const isForm = password || (user && name && /user|login|mail/i.test(label(name)));
  if (document.readyState === "loading" || !isForm) return { asks: "nothing", sendsTo: "" };
  const form = (password ?? name)!.form;
  const button = (form ?? document).querySelector<HTMLElement>(
    'button[type="submit"], input[type="submit"], form button',
  );
  // the property would be a field's that is named "action"
  const action = button?.getAttribute("formaction") ?? form?.getAttribute("action") ?? "";
  const found: Form = {
    asks: password ? "password" : "user",
    sendsTo: new URL(action, document.baseURI).origin,
  };
  // by the prototype's setter, since frameworks shadow `value` and would not see it otherwise
  const set = (field: HTMLInputElement, value: string) => {
    field.focus();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set!.call(field, value);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  };
  if (step === "fill") {
    if (name && user) set(name, user);
    if (password) set(password, pass);
  } else if (step === "send") {
    if (button) button.click();
    else form?.requestSubmit();
  }
  return found;
}

export interface Login {
  /** Of the stream's browser. */
  profile: string;
  url: string;
  /** More origins that may get the password, with blanks between them. */
  loginOrigins: string;
  user: string;
  pass: string;
}

/** What one look at the page led to, for the log; "sent" and "user" when something was sent. */
type Outcome = "sent" | "user" | "nothing" | { refused: string };

/**
 * Looks for the form once. Where the page is, is asked outside of it, before and after the form was filled in; scripts of
 * the page see neither our code nor our variables. The world is the document's: it is gone when the page moves on.
 */
async function tryLogin(page: DevTools, { url, loginOrigins, user, pass }: Login): Promise<Outcome> {
  const document = await documentOf(page);
  if (!mayReceivePassword(document.origin, url, loginOrigins)) return { refused: document.origin };
  const world = await isolatedWorld(page, document);
  const run = (step: "find" | "fill" | "send", ...secrets: string[]) => {
    const values = [step, ...secrets].map((value) => JSON.stringify(value));
    return page.evaluate<Form>(`(${loginForm})(${values})`, world);
  };
  const form = await run("find", user, "");
  if (form.asks === "nothing") return "nothing";
  if (!mayReceivePassword(form.sendsTo, url, loginOrigins)) return { refused: form.sendsTo };
  if (!isSameDocument(document, await documentOf(page))) return "nothing";
  const filled = await run("fill", user, pass);
  if (!isSameDocument(document, await documentOf(page))) return "nothing";
  if (!mayReceivePassword(filled.sendsTo, url, loginOrigins)) return { refused: filled.sendsTo };
  await run("send", user, "");
  return form.asks === "password" ? "sent" : "user";
}

/** Looks for a login form for 45 s and sends it; a page without one needs no login. Returns what was done, for the log. */
export async function autoLogin(login: Login, signal: AbortSignal): Promise<string> {
  let user = login.user;
  let state = "no login form was found";
  for (const deadline = Date.now() + SEARCH_MS; Date.now() < deadline && !signal.aborted;) {
    try {
      using page = await DevTools.connect(login.profile);
      const outcome = await tryLogin(page, { ...login, user });
      if (outcome === "sent") return "login form sent";
      if (outcome === "user") {
        state = "user name sent, no password was asked for";
        user = ""; // the name is sent once only
      } else if (typeof outcome === "object") {
        state = `no login: ${outcome.refused} is not the stream's own origin, and not among its loginOrigins`;
      }
    } catch (error) {
      state = `the browser did not answer: ${errorText(error)}`;
    }
    await sleep(PAUSE_MS, signal);
  }
  return state;
}
