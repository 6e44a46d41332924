import { useRef } from "preact/hooks";
import type { StreamFields } from "../../../lib/model/schema.ts";
import { type Preview, usePreview } from "./usePreview.ts";

interface LooksPreviewProps {
  defaults: StreamFields;
  /** The id of the stream that is edited. */
  stream?: string;
}

/** Shows the page's look with the typed values: beside the form where there is room, else below its fields. */
export function LooksPreview({ defaults, stream }: LooksPreviewProps) {
  const root = useRef<HTMLElement>(null);
  const { renew, ...preview } = usePreview(root, defaults, stream);
  const { isWorking, tried, problem } = preview;
  return (
    <section class="preview" ref={root} aria-label="Preview">
      <div class="preview-screen" aria-busy={isWorking}>
        {tried?.picture
          ? (
            <img
              src={`data:image/jpeg;base64,${tried.picture}`}
              alt="The page as it would look"
              width={640}
              height={360}
            />
          )
          : <p class="hint">{isWorking ? "" : "The page is shown here as it would look."}</p>}
      </div>
      <div class="preview-line">
        <div role="status">
          {problem ? <p class="problem">{problem}</p> : <Seen {...preview} />}
        </div>
        <button type="button" class="small" aria-disabled={isWorking} onClick={() => isWorking || renew()}>
          Renew
        </button>
      </div>
    </section>
  );
}

/** The preview's state while nothing failed. */
function Seen({ isWorking, tried }: Preview) {
  if (isWorking) return <p class="hint">Opening the page. This takes some seconds…</p>;
  if (!tried) return <p class="hint">Type the page's address first.</p>;
  return (
    <>
      {tried.problem && <p class="problem">{tried.problem}</p>}
      {tried.leftOut.map((reason) => <p key={reason}>Not used here: {reason}</p>)}
      {!tried.problem && <p class="hint">Preview, in a window of 1280 x 720 pixels.</p>}
    </>
  );
}
