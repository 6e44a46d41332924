import { createContext } from "preact";

/** Whether the service answers, for whatever is in front of the page and hides its toasts. */
export const Connected = createContext(true);
