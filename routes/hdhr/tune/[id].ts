import { define } from "../../../lib/app.ts";
import { errorResponse } from "../../../lib/door/errors.ts";

/** The codes by which HDHomeRun devices name the reason (HDHomeRun HTTP Development Guide). */
const ERROR_HEADER = "x-hdhomerun-error";
const ERRORS = { unknown: "801 Unknown Channel", busy: "805 All Tuners In Use", off: "807 No Video Data" };

/** A channel for a client of the tuner: the transport stream, for as many clients as there are tuners. */
const tune = define.middleware(async ({ req, params, state }) => {
  const { service, admitted: { client, holds, connection } } = state;
  const { streams, relays, tuner, fleet } = service;
  const stream = streams.list("viewer").find(({ id }) => id === params.id);
  if (!stream) return refused(404, ERRORS.unknown, "There is no such channel. Let your app scan again.");
  const { tuners } = await tuner.device();
  if (relays.tuners >= tuners) {
    return refused(503, ERRORS.busy, `All ${tuners} tuners are in use. TUNERS sets their number.`);
  }
  if (!fleet.find(stream.id)?.isOnAir) return refused(503, ERRORS.off, "The channel is off.");
  return relays.answer(req, stream.id, {
    client,
    agent: req.headers.get("user-agent"),
    holds,
    connection,
    isTuner: true,
  });
});

function refused(status: number, code: string, message: string): Response {
  const answer = errorResponse(status, message);
  answer.headers.set(ERROR_HEADER, code);
  return answer;
}

export const handler = define.handlers({ GET: tune, HEAD: tune });
