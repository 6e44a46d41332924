import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";
import type { Command } from "../../client/api.ts";
import { serverNow } from "../../client/serverClock.ts";
import { duration } from "../boardState.ts";
import { returnText } from "./returnText.ts";

/** A few words beside a state: how long a stream is well, or is not, and when it returns. @param busy the command under way. */
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
    default: {
      const { state, since, changesAt } = status;
      const parts = [
        since === undefined ? "" : `for ${duration((serverNow() - since) / 1000)}`,
        changesAt === undefined ? "" : `until ${returnText(changesAt, serverNow())}`,
      ];
      return `${state === "failed" ? "off air " : ""}${parts.filter(Boolean).join(", ")}`.trim();
    }
  }
}
