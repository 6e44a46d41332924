import { createContext } from "preact";

/** Whether the service answers, for whatever is in front of the page and hides its notices. */
export const Connected = createContext(true);
