/** The autologin helper: fills in a page's login form and sends it. */
import { errorText } from "../system/log.ts";
import { DevTools } from "./client.ts";
import { sleep } from "../system/time.ts";

/** How long to look for a login form after the browser's start, in ms: slow single-page apps need a while. */
const SEARCH_MS = 45_000;
const PAUSE_MS = 1000;

/**
 * Whether credentials meant for `meant` may be typed at `shown`: the same origin, or by https a host below the same
 * host. A page that wandered off gets nothing; where the login is elsewhere, a person logs in once by VNC.
 */
export function mayLogIn(meant: string, shown: string): boolean {
  const [a, b] = [new URL(meant), new URL(shown)];
  return a.origin === b.origin || (b.protocol === "https:" && `.${b.hostname}`.endsWith(`.${a.hostname}`));
}

/**
 * Runs in the page. Says "absent" without a visible login form, "user" when only the name was asked for yet, "sent".
 * Values are set by the prototype's setter: frameworks shadow `value` and would not see them otherwise.
 */
function fillForm(user: string, pass: string): string {
  const isShown = (field: HTMLElement) =>
    field.offsetParent !== null && !(field as HTMLInputElement).disabled;
  const fields = [...document.querySelectorAll("input")].filter(isShown);
  const password = fields.find((field) => field.type === "password");
  const isName = (field: HTMLInputElement) =>
    /^(text|email|)$/.test(field.getAttribute("type") ?? "") &&
    /user|login|mail|name|account/i.test(
      `${field.name} ${field.id} ${field.autocomplete} ${field.placeholder}`,
    );
  const before = password ? fields.slice(0, fields.indexOf(password)) : fields;
  const name = before.filter(isName).at(-1) ??
    (password
      ? before.filter((field) => /^(text|email|)$/.test(field.getAttribute("type") ?? "")).at(-1)
      : undefined);
  if (!password && !(name && /user|login|mail/i.test(`${name.name} ${name.id} ${name.autocomplete}`))) {
    return "absent";
  }
  const set = (field: HTMLInputElement, value: string) => {
    field.focus();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set!.call(field, value);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  };
  if (!password && !user) return "absent";
  if (name && user) set(name, user);
  if (password) set(password, pass);
  const form = (password ?? name)!.form;
  const button = (form ?? document).querySelector<HTMLElement>(
    'button[type="submit"], input[type="submit"], form button',
  );
  if (button) button.click();
  else form?.requestSubmit();
  return password ? "sent" : "user";
}

export interface Login {
  port: number;
  url: string;
  user: string;
  pass: string;
}

/** Looks for a login form for 45 s and sends it; a page without one needs no login. Returns what was done, for the log. */
export async function autoLogin({ port, url, user, pass }: Login, signal: AbortSignal): Promise<string> {
  let name = user;
  let state = "no login form was found";
  for (const deadline = Date.now() + SEARCH_MS; Date.now() < deadline && !signal.aborted;) {
    try {
      using page = await DevTools.connect(port);
      const [meant, user, password] = [url, name, pass].map((value) => JSON.stringify(value));
      // one expression: between two calls the page might move on
      const done = await page.evaluate<string>(
        `document.readyState === "loading" ? "loading"
          : !(${mayLogIn})(${meant}, location.href) ? "elsewhere " + location.origin
          : (${fillForm})(${user}, ${password})`,
      );
      if (done === "sent") return "login form sent";
      if (done.startsWith("elsewhere")) state = `no login: the page moved ${done}`;
      if (done === "user") {
        state = "user name sent, no password was asked for";
        name = ""; // the name is sent once only
      }
    } catch (error) {
      state = `the browser did not answer: ${errorText(error)}`;
    }
    await sleep(PAUSE_MS);
  }
  return state;
}
