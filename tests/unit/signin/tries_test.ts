import { strict as assert } from "node:assert";
import {
  decideLogin,
  type LoginState,
  type Look,
  MAX_TRIES,
  NEW_STATE,
  sentState,
} from "../../../lib/signin/tries.ts";
import { DEFAULT_TIMINGS } from "../../../lib/timings.ts";

const LIMITS = DEFAULT_TIMINGS.signIn;
const NOTHING: Look = {
  asks: "nothing",
  document: "a",
  message: "",
  refusal: null,
  isInUse: false,
  isForLogin: false,
  isStep: false,
};
const FORM: Look = { ...NOTHING, asks: "password" };

/** A page over time: what is sent is noted, reports are as "failed 1: why". */
function page(state: LoginState = NEW_STATE) {
  let now = 1_000_000;
  let sent = 0;
  const reports: string[] = [];
  const see = (look: Partial<Look>, seconds = 0) => {
    now += seconds * 1000;
    const whole = { ...FORM, ...look };
    const decision = decideLogin(state, whole, now, LIMITS);
    state = decision.isDue ? sentState(decision.state, whole, now) : decision.state;
    if (decision.isDue) sent++;
    const { report } = decision;
    if (report && report.login !== "asking") {
      reports.push(`${report.login} ${report.tries}: ${report.seen}${report.isLast ? " (last)" : ""}`);
    }
  };
  /** A form that is refused with another document. */
  const refuse = (at: number) => {
    see({ document: `${at}` });
    see({ document: `${at} again`, message: "Wrong password" }, 2);
  };
  return { see, refuse, reports, sent: () => sent };
}

Deno.test("login: a form is sent once, and gone it was accepted", () => {
  const { see, reports, sent } = page();
  see({});
  see({}, 1);
  see(NOTHING, 1);
  assert.deepEqual(reports, []);
  see(NOTHING, 2);
  see(NOTHING, 100);
  assert.deepEqual([reports, sent()], [["succeeded 1: "], 1]);
});

Deno.test("login: a page that is still loading says nothing", () => {
  const { see, reports } = page();
  see({});
  for (let second = 0; second < 30; second++) see({ asks: "loading" }, 1);
  assert.deepEqual(reports, []);
});

Deno.test("login: after the user name the password is sent, which counts as one try", () => {
  const { see, reports, sent } = page();
  see({ asks: "user" });
  see(NOTHING, 2);
  see({ document: "b" }, 1);
  see({ ...NOTHING, document: "c" }, 1);
  see({ ...NOTHING, document: "c" }, 2);
  assert.deepEqual([reports, sent()], [["succeeded 1: "], 2]);
});

Deno.test("login: what is refused is tried five times with growing pauses, and not again", () => {
  const { see, refuse, reports, sent } = page();
  const pauses = [0, 5, 20, 80, 320];
  for (const [at, pause] of pauses.entries()) {
    if (pause > 0) see({ document: `${at - 1} again` }, pause - 3);
    assert.equal(sent(), at, `before ${pause} s are over`);
    see(NOTHING); // a page that blinks
    see({ document: `${at - 1} again` }, 3);
    see({ document: `${at} again`, message: "Wrong password" }, 2);
  }
  assert.deepEqual(
    reports,
    [1, 2, 3, 4, 5].map((tries) => `failed ${tries}: Wrong password${tries === MAX_TRIES ? " (last)" : ""}`),
  );
  refuse(6);
  see({}, 100_000);
  assert.equal(sent(), 5);
  see(NOTHING, 1);
  see(NOTHING, 2);
  assert.equal(reports.at(-1), "succeeded 0: the page asks for it no more");
});

Deno.test("login: a form that stays without a word was not accepted", () => {
  const { see, reports } = page();
  see({});
  see({}, 11);
  assert.deepEqual(reports, []);
  see({}, 1);
  assert.deepEqual(reports, ["failed 1: the form is still there"]);
});

Deno.test("login: one that held and ends is an expired session, which is tried at once", () => {
  const { see, reports, sent } = page();
  see({});
  see(NOTHING, 1);
  see(NOTHING, 2);
  see(NOTHING, 3600);
  see({ document: "z" }, 1);
  assert.deepEqual([reports.at(-1), sent()], ["expired 0: the page asks for the login again", 2]);
});

Deno.test("login: one that ends at once counts as refused, so that it is not tried for ever", () => {
  const { see, reports, sent } = page();
  for (let round = 0; round < 20; round++) {
    see({}, 400);
    see(NOTHING, 1);
    see(NOTHING, 2);
    see({}, 1);
  }
  assert.equal(sent(), MAX_TRIES);
  assert.equal(reports.at(-1), `failed 5: the page asked for the login again at once (last)`);
});

Deno.test("login: a page of another origin, a code and a new password are a person's", () => {
  const cases: [Partial<Look>[], string, number][] = [
    [[{ refusal: "elsewhere" }, { refusal: "elsewhere" }], "failed 5: elsewhere (last)", 0],
    [
      [{}, { asks: "code" }],
      "failed 5: the page asks for a one-time code, which a person has to enter (last)",
      1,
    ],
    [
      [{}, { asks: "new-password" }],
      "failed 5: the page asks for a new password, which a person has to enter (last)",
      1,
    ],
  ];
  for (const [looks, report, count] of cases) {
    const { see, reports, sent } = page();
    for (const look of looks) see(look, 2);
    assert.deepEqual([reports, sent()], [[report], count]);
  }
});

Deno.test("login: what a page of another kind asks, and a password that somebody types, are left alone", () => {
  const asked = ["code", "new-password", "account", "button", "stay"] as const;
  for (const look of [...asked.map((asks) => ({ asks })), { isInUse: true }]) {
    const { see, reports, sent } = page();
    see(look);
    see(look, 60);
    assert.deepEqual([reports, sent()], [[], 0]);
  }
});

Deno.test("login: that a page asks is told at its first look, and that it has stopped to", () => {
  const first = decideLogin(NEW_STATE, FORM, 1000, LIMITS);
  assert.deepEqual([first.report?.login, first.isDue], ["asking", true]);
  const isInUse = decideLogin(NEW_STATE, { ...FORM, isInUse: true }, 1000, LIMITS);
  assert.equal(isInUse.report, null);
  const gone = decideLogin(first.state, NOTHING, 2000, LIMITS);
  assert.equal(decideLogin(gone.state, NOTHING, 9000, LIMITS).report?.login, "succeeded");
});

Deno.test("login: whether to stay signed in is answered once, on the way in", () => {
  const { see, reports, sent } = page();
  see({});
  see({ asks: "stay", document: "b" }, 1);
  see({ asks: "stay", document: "b" }, 1);
  assert.equal(sent(), 2);
  see({ ...NOTHING, document: "c" }, 1);
  see({ ...NOTHING, document: "c" }, 2);
  assert.deepEqual([reports, sent()], [["succeeded 1: "], 2]);
});

Deno.test("login: a question of another kind is a person's, and no page of its own is answered", () => {
  const { see, reports, sent } = page();
  see({ asks: "stay" });
  see({ asks: "account" }, 5);
  assert.deepEqual([reports, sent()], [[], 0], "nothing was sent: it may be the page itself");
  see({});
  see({ asks: "account", document: "b" }, 1);
  assert.deepEqual(reports, [
    "failed 5: the page asks something that a person has to answer: sign in by VNC (last)",
  ]);
});

Deno.test("login: a question that stays is told once, although nothing was sent, and no longer when it is gone", () => {
  for (const asks of ["code", "new-password", "account", "button"] as const) {
    const { see, reports, sent } = page();
    const look = { asks, isForLogin: true };
    see(look);
    see(look, 6);
    assert.deepEqual(reports, [], `${asks} may go on by itself`);
    see({ asks: "loading" }, 3);
    see(look, 3);
    see(look, 3600);
    assert.equal(reports.length, 1, asks);
    assert.match(reports[0], /^failed 5: the page asks .*person.*\(last\)$/);
    see(NOTHING, 1);
    see(NOTHING, 2);
    assert.deepEqual([reports.at(-1), sent()], ["succeeded 0: the page asks for it no more", 0]);
    see(look, 3600);
    see(look, 12);
    assert.equal(reports.length, 3, `${asks} again, another night`);
  }
});

Deno.test("login: after a question of a session that ended, its form is filled in", () => {
  const { see, reports, sent } = page();
  see({});
  see(NOTHING, 1);
  see(NOTHING, 2);
  const look = { asks: "account", isForLogin: true } as const;
  see(look, 3600);
  see(look, 12);
  assert.match(reports.at(-1)!, /^failed/);
  see({ document: "b" }, 60);
  assert.equal(sent(), 2);
  see({ ...NOTHING, document: "c" }, 1);
  see({ ...NOTHING, document: "c" }, 2);
  assert.equal(reports.at(-1), "succeeded 1: ");
});

Deno.test("login: a button that is left of a form that was sent may go on by itself", () => {
  const { see, reports } = page();
  see({});
  see({ asks: "button" }, 1);
  see({ asks: "button" }, 2);
  see(NOTHING, 1);
  see(NOTHING, 2);
  assert.deepEqual(reports, ["succeeded 1: "]);
  const another = page();
  another.see({});
  another.see({ asks: "button" }, 1);
  another.see({ asks: "button" }, 12);
  assert.match(another.reports[0], /^failed 5: the page asks for a press of its button/);
});

Deno.test("login: whether to stay signed in is answered on a page that is for signing in, at most five times", () => {
  const { see, reports, sent } = page();
  const look = { asks: "stay", isForLogin: true } as const;
  see(look);
  see({ ...NOTHING, document: "b" }, 1);
  see({ ...NOTHING, document: "b" }, 2);
  assert.deepEqual([reports, sent()], [["succeeded 1: "], 1]);
  const deaf = page();
  for (let round = 0; round < 100; round++) deaf.see(look, 60);
  assert.equal(deaf.sent(), MAX_TRIES);
});

Deno.test("login: a page that stays at the login's own site has not let anybody in", () => {
  const STEP: Look = { ...NOTHING, document: "b", isStep: true };
  const { see, reports } = page();
  see({});
  for (let second = 0; second < 12; second++) see(STEP, 1);
  assert.deepEqual(reports, []);
  see(STEP, 1);
  see(STEP, 3600);
  const asks = "the page asks something that a person has to answer: sign in by VNC";
  assert.deepEqual(reports, [`failed 5: ${asks} (last)`]);
  see({ ...NOTHING, document: "c" }, 1);
  see({ ...NOTHING, document: "c" }, 2);
  assert.equal(reports.at(-1), "succeeded 0: the page asks for it no more");
  const passing = page();
  passing.see({});
  passing.see(STEP, 1);
  passing.see(STEP, 5);
  passing.see({ ...NOTHING, document: "c" }, 1);
  passing.see({ ...NOTHING, document: "c" }, 2);
  assert.deepEqual(passing.reports, ["succeeded 1: "]);
});
