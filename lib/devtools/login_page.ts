/** Whether a page is one to sign in on, rather than the one that is meant: asked of pages that nobody signs in on for us. */
import type { DevTools } from "./client.ts";
import { type Form, loginForm } from "./login_form.ts";

/** Any: without one, a form that first asks for the user name alone is not taken for a login. */
const SOME_USER = "user";

/** Characters on a page that is a login: one with more has a login beside what it shows, as forums do. */
const MOST_TEXT = 3000;

/** A page of a connection whose Page domain is enabled. @throws {Error} when it does not answer, or moves on. */
export async function isLoginPage(page: DevTools, frameId: string): Promise<boolean> {
  const { executionContextId: contextId } = await page.send<{ executionContextId: number }>(
    "Page.createIsolatedWorld",
    { frameId, worldName: "browser-stream-login" },
  );
  const expression = `({ form: (${loginForm})("find", "${SOME_USER}", ""), ` +
    `length: document.body?.innerText.length ?? 0 })`;
  const params = { expression, contextId, returnByValue: true };
  const { result } = await page.send<{ result: { value?: unknown } }>("Runtime.evaluate", params);
  const { form, length } = Object(result.value);
  const { asks } = Object(form) as Partial<Form>;
  return (asks === "password" || asks === "user" || asks === "code") && length <= MOST_TEXT;
}
