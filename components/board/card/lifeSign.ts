import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";
import type { Command } from "../../client/api.ts";
import { serverNow } from "../../client/serverClock.ts";
import { duration } from "../boardState.ts";
import { returnText } from "./returnText.ts";

/** A few words beside a state: how long a stream is on the air, when it returns. @param busy the command under way. */
export function lifeSign(status: StreamStatus, busy?: Command): string {
  if (busy === "stop") return "stopping…";
  if (status.recreate && status.recreate.step !== "failed") return `resetting: ${status.recreate.step}…`;
  switch (status.state) {
    case "stopped":
      return "off air";
    case "waiting":
      return "for a viewer";
    case "planned":
      return status.returnsAt === undefined
        ? "off air"
        : `on air ${returnText(status.returnsAt, serverNow())}`;
    case "starting":
      return "opening the page…";
    case "failed":
      return "off air";
    default: {
      // The youngest program: viewers have had a picture no longer than that program runs.
      const uptime = status.programs.filter((it) => it.uptime > 0).map((it) => it.uptime);
      const since = uptime.length ? `for ${duration(Math.min(...uptime))}` : "";
      if (status.changesAt === undefined) return since;
      return [since, `until ${returnText(status.changesAt, serverNow())}`].filter(Boolean).join(", ");
    }
  }
}
