import { editLink } from "../stream/editLink.ts";

/** The stream's or the service's settings. `grab`: ffmpeg takes the pictures. */
export type WhyNothing = "stream" | "service" | "grab";

/** What is said where nothing of a stream is kept. */
export function NothingKept({ id, why }: { id: string; why: WhyNothing | null }) {
  switch (why) {
    case "stream":
      return (
        <>
          <p>This stream's past is not kept.</p>
          <p data-least="operator">
            <a href={editLink(id)}>Change that in its settings</a>
          </p>
        </>
      );
    case "service":
      return <p>This service keeps no past: its variable REWIND_GB is 0.</p>;
    case "grab":
      return <p>This service keeps no past, since its variable CAPTURE is x11grab.</p>;
    default:
      return (
        <>
          <p>Nothing is kept yet.</p>
          <p>The first picture is kept some seconds after the channel has gone on the air.</p>
        </>
      );
  }
}
