import { strict as assert } from "node:assert";
import { ApiError } from "../../../components/client/api.ts";
import { type SessionParts, stayConnected, type VncView } from "../../../components/vnc/session.ts";

type Status = Awaited<ReturnType<SessionParts["status"]>>;

/** One round of a session: what the service says, and whether the connection comes about. */
interface Round {
  status?: Status;
  isUnreachable?: boolean;
  isLoggedOut?: boolean;
  connects?: boolean;
  /** What the service says when it is asked whether it refuses the page. */
  refusal?: string;
}

/** Runs a session through the rounds; returns what was shown and how long each pause was. */
async function play(rounds: Round[]) {
  const shown: VncView[] = [];
  const tokens: string[] = [];
  const pauses: number[] = [];
  const asked: number[] = [];
  const end = new AbortController();
  let at = 0;
  await stayConnected({
    status: () => {
      const { status, isUnreachable, isLoggedOut } = rounds[at];
      if (isLoggedOut) return Promise.reject(new ApiError("Log in again", 401));
      return isUnreachable ? Promise.reject(new Error("down")) : Promise.resolve(status ?? null);
    },
    token: () => Promise.resolve(`token ${at}`),
    connect: (token, onConnect) => {
      tokens.push(token);
      if (rounds[at].connects) onConnect();
      return Promise.resolve();
    },
    refusal: () => {
      asked.push(at);
      return Promise.resolve(rounds[at].refusal ?? null);
    },
    show: (view) => shown.push(view),
    pause: (ms) => {
      pauses.push(ms);
      if (++at === rounds.length) end.abort();
      return Promise.resolve();
    },
  }, end.signal);
  return { phases: shown.map(({ phase }) => phase), shown, tokens, pauses, asked };
}

const running: Status = { state: "running" };

Deno.test("a lost connection is made again soon, each time with the token of then", async () => {
  const { phases, tokens, pauses } = await play([
    { status: running, connects: true },
    { status: { state: "starting" } },
    { status: running, connects: true },
  ]);
  assert.deepEqual(tokens, ["token 0", "token 1", "token 2"]);
  assert.deepEqual(phases, [
    "connecting",
    "connected",
    ...["waiting", "waiting", "waiting"],
    "waiting",
    "connected",
    "waiting",
  ]);
  assert.equal(pauses[0], 500);
  assert.ok(pauses[1] > 500);
  assert.equal(pauses[2], 500);
});

Deno.test("a stopped, an unplanned and a deleted stream are told, and not connected to", async () => {
  const [stopped, planned] = (["stopped", "planned"] as const).map((state) => ({ status: { state } }));
  const { phases, tokens } = await play([stopped, planned, {}, { status: running }]);
  assert.deepEqual(phases, ["stopped", "planned", "gone", "waiting", "waiting"]);
  assert.deepEqual(tokens, ["token 3"]);
});

Deno.test("a failed stream says why", async () => {
  const { shown } = await play([{ status: { state: "failed", reason: "no display" } }]);
  assert.deepEqual(shown[0], { phase: "connecting", reason: "no display" });
});

Deno.test("a page that the service refuses says why, from the second connection in vain until one comes about", async () => {
  const refusal = "start it with PUBLIC_URL=https://tv.example.org:8443";
  const failing = { status: running, refusal };
  const { shown, asked } = await play([
    failing,
    failing,
    failing,
    { status: running, connects: true },
    failing,
  ]);
  assert.deepEqual(asked, [1], "it is asked once");
  const refused = { phase: "refused", reason: refusal };
  assert.deepEqual(shown, [
    ...[{ phase: "connecting" }, { phase: "waiting" }],
    ...[{ phase: "waiting" }, refused],
    ...[refused, refused],
    ...[refused, { phase: "connected" }, { phase: "waiting" }],
    ...[{ phase: "waiting" }, { phase: "waiting" }],
  ]);
});

Deno.test("a connection in vain is no refusal where the service has none", async () => {
  const failing = { status: running };
  const { phases, asked } = await play([failing, failing, failing]);
  assert.deepEqual(asked, [1]);
  assert.deepEqual(new Set(phases), new Set(["connecting", "waiting"]));
});

Deno.test("without the service pauses grow, but never beyond 4 s", async () => {
  const { phases, pauses } = await play(Array(12).fill({ isUnreachable: true }));
  assert.ok(phases.every((phase) => phase === "offline"));
  assert.ok(pauses.every((ms, at) => at === 0 || ms >= pauses[at - 1]));
  assert.equal(pauses.at(-1), 4000);
});

Deno.test("without a session it says so, and goes on after a login", async () => {
  const { phases, tokens } = await play([{ isLoggedOut: true }, { status: running, connects: true }]);
  assert.deepEqual(phases, ["loggedOut", "waiting", "connected", "waiting"]);
  assert.deepEqual(tokens, ["token 1"]);
});

Deno.test("after the end nothing is shown any more", async () => {
  const end = new AbortController();
  const shown: VncView[] = [];
  await stayConnected({
    status: () => Promise.resolve(running),
    token: () => Promise.resolve("t"),
    connect: () => {
      end.abort();
      return Promise.resolve();
    },
    refusal: () => Promise.resolve(null),
    show: (view) => shown.push(view),
    pause: () => Promise.resolve(),
  }, end.signal);
  assert.deepEqual(shown, [{ phase: "connecting" }]);
});
