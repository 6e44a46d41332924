/** Reading and setting a form's controls. */
import { completeAddress, loginInAddress } from "../../lib/model/web_address.ts";
import type { Draft } from "./draft.ts";

/** The values of a form by name. Radios are aids, not values; an empty field of a secret means: unchanged. */
export function readForm(form: HTMLFormElement): Draft {
  const draft: Draft = {};
  for (const control of form.elements) {
    const { name, type, value, checked } = control as HTMLInputElement;
    const isSecret = type === "password" || (control as HTMLElement).dataset.secret !== undefined;
    if (!name || type === "radio" || (isSecret && value === "")) continue;
    draft[name] = type === "checkbox" ? checked : value;
  }
  return draft;
}

/** Sets controls as a person would, so that their listeners are called. */
export function fillForm(form: HTMLFormElement, values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    const control = form.elements.namedItem(name);
    if (control instanceof HTMLInputElement && control.type === "checkbox") control.checked = value === true;
    else if (control instanceof Element && control.matches("input, select, textarea")) {
      (control as HTMLInputElement).value = String(value);
    } else continue;
    control.dispatchEvent(new Event("input", { bubbles: true }));
    control.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

/** The address's field. */
const addressIn = (form: HTMLFormElement) => form.elements.namedItem("url") as HTMLInputElement;

/** Shows the address in full, as it would be stored. */
export function completeForm(form: HTMLFormElement): void {
  takeLogin(form);
  const { value } = addressIn(form);
  const whole = completeAddress(value.trim());
  if (whole !== value) fillForm(form, { url: whole });
}

/**
 * Moves a login that is in the address into the fields for it. A stored password that stays has no field: then the
 * service takes the login out of the address.
 */
export function takeLogin(form: HTMLFormElement): void {
  const login = form.elements.namedItem("pass") && loginInAddress(addressIn(form).value);
  if (!login) return;
  const { url, user, pass } = login;
  fillForm(form, { url, ...user ? { user } : {}, ...pass ? { pass } : {} });
}

/** Opens the folded parts of the form that have fields with a problem. */
export function unfoldProblems(form: HTMLFormElement): void {
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    const details = field.closest("details");
    if (details) details.open = true;
  }
}
