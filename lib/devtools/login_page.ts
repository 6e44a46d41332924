/** Whether a page is one to sign in on, rather than the one that is meant: asked of pages that nobody signs in on for us. */
import type { DevTools } from "./client.ts";
import { worldOf } from "./document.ts";
import { type Asks, FIND_FORM } from "./login_form.ts";

const LOGINS: readonly Asks[] = ["password", "user", "code"];

/** Characters on a page that is a login: one with more has a login beside what it shows, as forums do. */
const MOST_TEXT = 3000;

/** A page of a connection whose Page domain is enabled. @throws {Error} when it does not answer, or moves on. */
export async function isLoginPage(page: DevTools, frameId: string): Promise<boolean> {
  const ask = await worldOf(page, frameId, "browser-stream-login");
  const found = await ask(`({ form: ${FIND_FORM}, length: document.body?.innerText.length ?? 0 })`);
  const { form, length } = Object(found);
  return LOGINS.includes(Object(form).asks) && length <= MOST_TEXT;
}
