/** The header of all answers of the service: a proxy in front of it that wants a login answers without. */
export const OWN_ANSWER = "x-browser-stream";
