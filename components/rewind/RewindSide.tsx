import { useState } from "preact/hooks";
import { KIND_WORDS } from "../log/eventText.ts";
import { copyText } from "../ui/copyText.ts";
import { Icon } from "../ui/Icon.tsx";
import { gapText, placeText } from "./bars.ts";
import { ExportButton } from "./export/ExportButton.tsx";
import { clockText, dayText, pictureName, shareText, spanText } from "./moment.ts";
import { pictureAddress } from "./past.ts";
import type { Rewind } from "./rewindState.ts";
import { rewindLink, streamLinks } from "../../lib/model/links.ts";

/** A longer list is cut: nobody reads it, and a nearer zoom has all. */
const MOST_LISTED = 150;

/** What can be done with the moment, and the window's changes as a list. */
export function RewindSide({ rewind, isReady }: { rewind: Rewind; isReady: boolean }) {
  const { value: kept } = rewind.kept;
  const { value: shown } = rewind.shown;
  const isShown = shown !== null && rewind.noPicture.value === null;
  return (
    <section class="rewind-side" aria-label="This moment">
      <div class="rewind-told">
        <p>{isReady && kept && `The past goes back to ${dayText(kept.start, rewind.now.value)}.`}</p>
        {isReady && isShown && shown.since && (
          <p>
            {shown.at === shown.since
              ? "The picture changed at this second."
              : `Unchanged since ${clockText(shown.since)}, for ${spanText(shown.at - shown.since)}.`}
          </p>
        )}
      </div>
      {kept !== null && <WhatChanged rewind={rewind} isShown={isShown} />}
      <div class="rewind-actions js">
        {kept !== null && (
          <button type="button" onClick={() => void copyLink(rewind)}>
            <Icon name="link" />Copy link
          </button>
        )}
        {isShown && (
          <a
            class="button"
            href={pictureAddress(rewind.id, shown.at)}
            download={pictureName(rewind.id, shown.at)}
          >
            <Icon name="download" />Save picture
          </a>
        )}
        <a class="button" href={streamLinks(rewind.id).player}>
          <Icon name="play" />Watch live
        </a>
        <ExportButton past={rewind} isReady={isReady} />
      </div>
      {kept !== null && <ChangeList rewind={rewind} />}
    </section>
  );
}

async function copyLink(rewind: Rewind): Promise<void> {
  const at = rewind.moment.value ?? rewind.newest ?? undefined;
  const isCopied = await copyText(location.origin + rewindLink(rewind.id, at));
  rewind.say(
    isCopied ? "The link to this moment is copied." : "Copy the address of this page: it is the link.",
  );
}

function WhatChanged({ rewind, isShown }: { rewind: Rewind; isShown: boolean }) {
  const { isFraming: { value: isFraming }, framed: { value: framed } } = rewind;
  const isBefore = rewind.before.value !== null;
  return (
    <div class="rewind-change js">
      <p class="rewind-actions">
        <button
          type="button"
          aria-pressed={`${isFraming}`}
          title="Key C"
          disabled={!isShown}
          onClick={() => void rewind.toggleFrames()}
        >
          <Icon name="view" />What changed
        </button>
        <button
          type="button"
          aria-pressed={`${isBefore}`}
          title="Key B"
          disabled={!isShown}
          onClick={() => void rewind.showBefore(!isBefore)}
        >
          <Icon name="eye" />Before
        </button>
      </p>
      {isFraming && isShown && framed && (
        <p role="status">
          {framed === "nothing"
            ? "Nothing changed: this is the first picture that is kept."
            : `${shareText(framed.share)} of the picture changed, ${placeText(framed.cells)}.`}
        </p>
      )}
    </div>
  );
}

/** The changes, events and gaps of the window, the newest first. */
function ChangeList({ rewind }: { rewind: Rewind }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="rewind-list folded js" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Changes</summary>
      {isOpen && <Entries rewind={rewind} />}
    </details>
  );
}

function Entries({ rewind }: { rewind: Rewind }) {
  const { slots = [], scale = 1 } = rewind.changes.value ?? {};
  const entries = [
    ...rewind.gaps.value.map((gap) => ({
      start: gap.start,
      key: `gap ${gap.start}`,
      text: gapText(gap),
      go: null,
    })),
    ...slots.map((slot) => ({
      start: slot.start,
      key: `slot ${slot.start}`,
      text: [
        slot.share > 0 ? `${shareText(slot.share)}, ${placeText(slot.cells)}.` : "",
        ...slot.events.map(({ kind, text }) => `${KIND_WORDS[kind]}: ${text}`),
      ].filter(Boolean).join(" "),
      go: () => void (slot.share > 0 ? rewind.goToSlot(slot) : rewind.go(slot.start)),
    })),
  ].sort((one, other) => other.start - one.start);
  const time = (at: number) => scale < 60 ? clockText(at) : clockText(at).slice(0, 5);
  if (entries.length === 0) return <p>Nothing changed in the shown time.</p>;
  return (
    <>
      <ol>
        {entries.slice(0, MOST_LISTED).map(({ start, key, text, go }) => (
          <li key={key}>
            {go
              ? (
                <button type="button" class="link" onClick={go}>
                  <strong>{time(start)}</strong> {text}
                </button>
              )
              : (
                <p>
                  <strong>{time(start)}</strong> {text}
                </p>
              )}
          </li>
        ))}
      </ol>
      {entries.length > MOST_LISTED && (
        <p>There are {entries.length - MOST_LISTED} more: zoom in to see them.</p>
      )}
    </>
  );
}
