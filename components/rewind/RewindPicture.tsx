import type { ComponentChildren, Ref } from "preact";
import { gapText } from "./bars.ts";
import type { Channel } from "./channel.ts";
import { ChannelPicture } from "./ChannelPicture.tsx";
import { clockText, dayText } from "./moment.ts";
import type { NoPicture } from "./past.ts";
import type { Rewind } from "./rewindState.ts";

interface RewindPictureProps {
  rewind: Rewind;
  channel: Channel;
  box: Ref<HTMLDivElement>;
  /** What is said where nothing is kept at all. */
  empty: ComponentChildren;
  isReady: boolean;
  timeZone?: string;
}

/** The picture of the moment of a stream's page. */
export function RewindPicture({ rewind, channel, box, empty, isReady, timeZone }: RewindPictureProps) {
  const { value: noPicture } = channel.noPicture;
  return (
    <div class="rewind-box" ref={box}>
      <ChannelPicture rewind={rewind} channel={channel} timeZone={timeZone} />
      {channel.kept.value === null
        ? <div class="rewind-message">{empty}</div>
        : noPicture && isReady && !rewind.pointed.value?.isDragged
        ? <Missing rewind={rewind} missing={noPicture} />
        : null}
      <DraggedGap rewind={rewind} />
      <RewindNote rewind={rewind} />
    </div>
  );
}

/** What became of what somebody asked for, and what does not go. */
export function RewindNote({ rewind }: { rewind: Rewind }) {
  const { value: problem } = rewind.problem;
  return (
    <p class="rewind-note" role="status">
      {rewind.note.value || problem?.way?.says || problem?.text}
      {problem?.way && !rewind.note.value && <a href={problem.way.href}>{problem.way.link}</a>}
    </p>
  );
}

/** Why there is no picture of a moment, in words. */
export function missingText(missing: NoPicture, now: number): string {
  const { at, before, after } = missing;
  if (at > now) return "This moment is yet to come.";
  if (before !== null || after === null || missing.reason !== null) return gapText(missing);
  return `Nothing is kept of this time: the past goes back to ${dayText(after, now)}.`;
}

/** Why there is no picture of the moment, and the nearest ones. */
function Missing({ rewind, missing }: { rewind: Rewind; missing: NoPicture }) {
  const { before, after } = missing;
  return (
    <div class="rewind-message">
      <p>{missingText(missing, rewind.now.value)}</p>
      <p class="rewind-near">
        {before !== null && (
          <button type="button" onClick={() => rewind.go(before)}>
            Last picture before, {clockText(before)}
          </button>
        )}
        {after !== null && (
          <button type="button" onClick={() => rewind.go(after)}>First one after, {clockText(after)}</button>
        )}
      </p>
    </div>
  );
}

function DraggedGap({ rewind }: { rewind: Rewind }) {
  const { value: pointed } = rewind.pointed;
  const gap = pointed?.isDragged &&
    rewind.gaps.value.find(({ start, end }) => pointed.at >= start && pointed.at < end);
  return gap
    ? (
      <div class="rewind-message">
        <p>{gapText(gap)}</p>
      </div>
    )
    : null;
}
