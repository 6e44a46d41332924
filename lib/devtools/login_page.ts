/** Whether a page is a login page instead of the wanted page; asked only of pages on which no helper signs in. */
import type { DevTools } from "./client.ts";
import { worldOf } from "./document.ts";
import { type Asks, FIND_FORM } from "./login_form.ts";

const LOGINS: readonly Asks[] = ["password", "user", "code"];

/** Most characters on a login page: a page with more has a login beside its content, as forums do. */
const MOST_TEXT = 3000;

/** Asks a page whose Page domain is enabled. @throws {Error} when the page does not answer, or moves on. */
export async function isLoginPage(page: DevTools, frameId: string): Promise<boolean> {
  const ask = await worldOf(page, frameId, "browser-stream-login");
  const found = await ask(`({ form: ${FIND_FORM}, length: document.body?.innerText.length ?? 0 })`);
  const { form, length } = Object(found);
  return LOGINS.includes(Object(form).asks) && length <= MOST_TEXT;
}
