import { useState } from "preact/hooks";
import { copyText } from "../ui/copyText.ts";
import { Icon } from "../ui/Icon.tsx";
import { gapText, placeText } from "./bars.ts";
import { ExportButton } from "./export/ExportButton.tsx";
import { namesText } from "./merged.ts";
import { clockText, dayText, pastEventText, pictureName, shareText, spanText } from "./moment.ts";
import { pictureAddress, type Slot } from "./past.ts";
import type { Rewind } from "./rewindState.ts";

/** A longer list is cut: nobody reads it, and a nearer zoom has all. */
const MOST_LISTED = 150;
/** Of a wall's pictures that changed at once, in words. */
const MOST_FRAMED = 3;

interface RewindSideProps {
  rewind: Rewind;
  isReady: boolean;
  /** The address of the channel, or of the wall, as it is now. */
  live: string;
}

/** What can be done with the moment, and the window's changes as a list. */
export function RewindSide({ rewind, isReady, live }: RewindSideProps) {
  const { one, kept: { value: kept }, changed: { value: changed } } = rewind;
  const isShown = changed.length > 0;
  // of a stream alone also where it is not known yet since when it was so
  const shown = one?.noPicture.value === null ? one.shown.value : null;
  return (
    <section class="rewind-side" aria-label="This moment">
      <div class="rewind-told">
        <p>{isReady && kept && `The past goes back to ${dayText(kept.start, rewind.now.value)}.`}</p>
        {isReady && isShown && <p>{sinceText(rewind)}</p>}
      </div>
      {kept !== null && <WhatChanged rewind={rewind} isShown={isShown} />}
      <div class="rewind-actions js">
        {kept !== null && (
          <button type="button" onClick={() => void copyLink(rewind)}>
            <Icon name="link" />Copy link
          </button>
        )}
        {one && shown && (
          <a
            class="button"
            href={pictureAddress(one.id, shown.at)}
            download={pictureName(one.id, shown.at)}
          >
            <Icon name="download" />Save picture
          </a>
        )}
        <a class="button" href={live}>
          <Icon name="play" />Watch live
        </a>
        {one && <ExportButton id={one.id} past={rewind} isReady={isReady} />}
      </div>
      {kept !== null && <ChangeList rewind={rewind} />}
    </section>
  );
}

async function copyLink(rewind: Rewind): Promise<void> {
  const at = rewind.moment.value ?? rewind.newest ?? undefined;
  const isCopied = await copyText(location.origin + rewind.address(at));
  rewind.say(
    isCopied ? "The link to this moment is copied." : "Copy the address of this page: it is the link.",
  );
}

/** Since when everything is as it is shown. */
function sinceText(
  { one, changed: { value: changed }, at: { value: now }, since: { value: since } }: Rewind,
) {
  const at = one?.shown.value?.at ?? now;
  if (at === null || since === null) return "";
  const what = one ? "The picture" : namesText(changed.map(({ name }) => name));
  if (at <= since) return `${what} changed at this second.`;
  return `Unchanged since ${clockText(since)}, for ${spanText(at - since)}.`;
}

function WhatChanged({ rewind, isShown }: { rewind: Rewind; isShown: boolean }) {
  const { isFraming: { value: isFraming }, isBefore: { value: isBefore } } = rewind;
  const framed = rewind.changed.value.flatMap(({ name, framed: { value: slot } }) =>
    slot ? [{ name, slot }] : []
  );
  return (
    <div class="rewind-change js">
      <p class="rewind-actions">
        <button
          type="button"
          aria-pressed={`${isFraming}`}
          title="Key C"
          disabled={!isShown}
          onClick={() => rewind.toggleFrames()}
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
      {isFraming && framed.length > 0 && (
        <p role="status">
          {framed.slice(0, MOST_FRAMED).map(({ name, slot }) =>
            changeText(slot, rewind.one ? "" : `${name}: `)
          )
            .join(" ")}
        </p>
      )}
    </div>
  );
}

function changeText(slot: Slot | "nothing", name: string): string {
  if (slot === "nothing") return `${name}Nothing changed: this is the first picture that is kept.`;
  return `${name}${shareText(slot.share)} of the picture changed, ${placeText(slot.cells)}.`;
}

/** What changed in a slot, and what happened. */
function slotText({ share, cells, events, names }: Slot): string {
  const place = `${shareText(share)}, ${placeText(cells)}.`;
  const change = !names ? place : names.length === 1 ? `${names[0]}: ${place}` : `${namesText(names)}.`;
  return [share > 0 ? change : "", ...events.map(pastEventText)].filter(Boolean).join(" ");
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
      text: slotText(slot),
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
