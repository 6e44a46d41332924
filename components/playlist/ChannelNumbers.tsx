import { useState } from "preact/hooks";
import type { PublicStream } from "../../lib/model/schema.ts";
import { Question } from "../ui/Question.tsx";

interface ChannelNumbersProps {
  /** In card order. */
  streams: readonly PublicStream[];
  /** Numbers the channels by the order of the cards. */
  onRenumber: () => Promise<void>;
}

/** What channel numbers go by, and a button that numbers all by the order of the cards. */
export function ChannelNumbers({ streams, onRenumber }: ChannelNumbersProps) {
  const [isAsked, setAsked] = useState(false);
  const isInOrder = streams.every(({ channelNumber }, at) => channelNumber === at + 1);
  return (
    <details>
      <summary>Channel numbers</summary>
      <div class="details-body access">
        <p class="hint">
          Each channel keeps its number when cards are moved, added or deleted, because apps record by number.
          To change a number, edit its stream, under “Channel”.
        </p>
        {isAsked
          ? (
            <Question
              id="renumber"
              title={`Number all ${streams.length} channels anew?`}
              keep="Keep the numbers"
              action="Number anew"
              acting="Numbering…"
              failed="The numbers stay as they are."
              onConfirm={async () => {
                await onRenumber();
                setAsked(false);
              }}
              onKeep={() => setAsked(false)}
            >
              The first card gets 1, the next one 2. Plex, Emby, Jellyfin and recorders that know channels by
              their numbers have to scan again.
            </Question>
          )
          : isInOrder
          ? <p>The numbers follow the order of the cards.</p>
          : (
            <button type="button" class="access-add" onClick={() => setAsked(true)}>
              Number by the order of the cards
            </button>
          )}
      </div>
    </details>
  );
}
