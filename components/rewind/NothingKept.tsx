import type { WhyNothing } from "../../lib/model/past.ts";
import { editLink } from "../stream/editLink.ts";

/** What is said where nothing of a stream is kept, in a sentence. */
export function nothingText(why: WhyNothing | null): string {
  switch (why) {
    case "stream":
      return "This stream's past is not kept.";
    case "service":
      return "This service keeps no past: its variable REWIND_GB is 0.";
    case "grab":
      return "This service keeps no past, since its variable CAPTURE is x11grab.";
    default:
      return "Nothing is kept yet.";
  }
}

/** The same, and what can be done. */
export function NothingKept({ id, why }: { id: string; why: WhyNothing | null }) {
  return (
    <>
      <p>{nothingText(why)}</p>
      {why === "stream" && (
        <p data-least="operator">
          <a href={editLink(id)}>Change that in its settings</a>
        </p>
      )}
      {why === null && <p>The first picture is kept some seconds after the channel has gone on the air.</p>}
    </>
  );
}
