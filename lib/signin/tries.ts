/** Decides when a login is tried, when the login counts as done, and its report. Pure: autologin.ts looks and acts. */
import type { Timings } from "../timings.ts";
import type { Asks } from "./form.ts";
import type { LoginReport } from "./report.ts";

/** Wrong credentials are not tried for ever: many servers lock an account. */
export const MAX_TRIES = 5;

/** The result of a look at the page. */
export interface Look {
  asks: Asks;
  /** The id of the document, which is new after each load. */
  document: string;
  /** The page's own message about a problem, or "". */
  message: string;
  /** The reason why the form may not get the password, or null. */
  refusal: string | null;
  isInUse: boolean;
  /** The page is there to sign in, and for nothing else. */
  isForLogin: boolean;
  /** A page without a form at one of the login's own sites: the login goes on there. */
  isStep: boolean;
}

export interface LoginState {
  /** Failed tries in a row. */
  tries: number;
  /** Milliseconds of a steady clock: not tried again before. */
  nextTryAt: number;
  /** The form that was sent, while its result is open. */
  sent: { at: number; document: string; asked: Asks; message: string } | null;
  /** The time since which the page asks for nothing; null: the page asks. */
  quietSince: number | null;
  /** The time since which the page asks for an answer that only a person has; null: it does not, or that was told. */
  personSince: number | null;
  /** The time of the login; null: there was none, or the page has asked again. */
  inSince: number | null;
  /** The last report's state and text. */
  told: LoginReport["login"];
  toldOf: string;
}

export type Limits = Timings["signIn"];

export const NEW_STATE: Readonly<LoginState> = {
  tries: 0,
  nextTryAt: 0,
  sent: null,
  quietSince: null,
  personSince: null,
  inSince: null,
  told: "watching",
  toldOf: "",
};

export interface Decision {
  state: LoginState;
  /** Whether the form is to be filled in and sent now. */
  isDue: boolean;
  report: LoginReport | null;
}

/** The question for a person, as the end of "the page asks". */
const PERSON: Partial<Record<Asks, string>> = {
  "code": "for a one-time code, which a person has to enter",
  "new-password": "for a new password, which a person has to enter",
  "button": "for a press of its button, which a person has to give: sign in by VNC",
  "account": "something that a person has to answer: sign in by VNC",
};

/** The decision after a look at the page. */
export function decideLogin(state: LoginState, look: Look, now: number, limits: Limits): Decision {
  const result = (
    changes: Partial<LoginState>,
    report: LoginReport | null = null,
    isDue = false,
  ): Decision => ({
    state: {
      ...state,
      ...changes,
      ...(report ? { told: report.login, toldOf: report.seen } : {}),
    },
    isDue,
    report,
  });

  const fail = (seen: string, count: number): Decision => {
    const tries = Math.min(count, MAX_TRIES);
    const isLast = tries >= MAX_TRIES;
    const nextTryAt = now + limits.pauseMs * 4 ** (tries - 1);
    const changes = { quietSince: null, personSince: null, inSince: null, sent: null, tries, nextTryAt };
    return result(changes, { login: "failed", seen, tries, isLast });
  };

  if (look.asks === "loading") return result({ quietSince: null });
  if (look.asks === "nothing") {
    const quietSince = state.quietSince ?? now;
    const { sent, told } = state;
    const quiet = { quietSince, personSince: null };
    if (look.isStep) {
      const isOpen = sent !== null || told === "expired" || told === "asking";
      // most steps go on by themselves
      const isLong = now - quietSince >= limits.verifyMs;
      return isOpen && isLong ? fail(`the page asks ${PERSON.account}`, MAX_TRIES) : result(quiet);
    }
    // after a user name, the page that asks for the password may take its time
    const goneMs = sent?.asked === "user" ? limits.verifyMs : limits.goneMs;
    const isNews = sent !== null || told === "failed" || told === "expired" || told === "asking";
    if (!isNews || now - quietSince < goneMs) return result(quiet);
    // the tries are forgotten once the login has held
    const tries = sent ? state.tries + 1 : 0;
    const seen = sent ? "" : "the page asks for it no more";
    const report: LoginReport = { login: "succeeded", seen, tries, isLast: false };
    return result({ ...quiet, sent: null, inSince: now }, report);
  }

  const asking = { quietSince: null, personSince: null };
  if (look.refusal !== null) {
    if (state.told === "failed" && state.toldOf === look.refusal) return result(asking);
    return fail(look.refusal, MAX_TRIES);
  }
  const forPerson = PERSON[look.asks];
  if (forPerson !== undefined) {
    const seen = `the page asks ${forPerson}`;
    // a form that was sent often leaves only its button
    if (state.sent && look.asks !== "button") return fail(seen, MAX_TRIES);
    const isTold = state.told === "failed" && state.toldOf === seen;
    if (isTold || !(state.sent || look.isForLogin)) return result(asking);
    const personSince = state.personSince ?? now;
    if (now - personSince < limits.verifyMs) return result({ quietSince: null, personSince });
    // no password was refused: a form that comes afterwards is filled in
    const report = { login: "failed", seen, tries: MAX_TRIES, isLast: true } as const;
    return result({ ...asking, sent: null, inSince: null }, report);
  }
  if (look.asks === "stay" && state.sent?.asked !== "stay") {
    // the answer leads on; the result of the form before is still open
    const mayAnswer = look.isForLogin && state.tries < MAX_TRIES && now >= state.nextTryAt;
    return result(asking, null, state.sent !== null || mayAnswer);
  }

  if (state.sent) {
    const { at, document, asked, message } = state.sent;
    if (asked === "user" && look.asks === "password") return result(asking, null, true);
    const isAnswered = look.document !== document || (look.message !== "" && look.message !== message);
    const isOver = now - at >= limits.verifyMs || (isAnswered && now - at >= limits.goneMs);
    return isOver ? fail(look.message || "the form is still there", state.tries + 1) : result(asking);
  }

  if (look.isInUse) return result(asking);
  if (state.inSince !== null && now - state.inSince < limits.heldMs) {
    return fail("the page asked for the login again at once", state.tries + 1);
  }
  const wasIn = state.inSince !== null;
  const wasQuiet = state.quietSince !== null && now - state.quietSince >= limits.searchMs;
  const isFirst = state.told === "watching";
  const report: LoginReport | null = wasIn || (isFirst && wasQuiet)
    ? { login: "expired", seen: "the page asks for the login again", tries: 0, isLast: false }
    : isFirst
    ? { login: "asking", seen: "", tries: 0, isLast: false }
    : null;
  const tries = wasIn ? 0 : state.tries;
  const isDue = tries < MAX_TRIES && (wasIn || now >= state.nextTryAt);
  return result({ ...asking, tries, inSince: null }, report, isDue);
}

/** The state after the form was sent. */
export function sentState(state: LoginState, look: Look, now: number): LoginState {
  const sent = { at: now, document: look.document, asked: look.asks, message: look.message };
  return { ...state, sent, quietSince: null };
}

/** Milliseconds until the next look, if nothing happens before. */
export function nextLook(state: LoginState, busyUntil: number, now: number, limits: Limits): number {
  if (state.sent) return limits.waitMs;
  return now < busyUntil ? limits.waitMs * 2 : limits.lookMs;
}
