import { useSignalEffect } from "@preact/signals";
import type { ComponentChildren, Ref } from "preact";
import { useRef } from "preact/hooks";
import { gapText, outlineOf } from "./bars.ts";
import { clockText, dateText, dayText } from "./moment.ts";
import type { NoPicture } from "./past.ts";
import type { Rewind } from "./rewindState.ts";

/** Part of the picture that its frames are drawn smaller by, so that those at its edges are seen. */
const EDGE = 0.004;

interface RewindPictureProps {
  rewind: Rewind;
  name: string;
  box: Ref<HTMLDivElement>;
  /** What is said where nothing is kept at all. */
  empty: ComponentChildren;
  isReady: boolean;
  timeZone?: string;
}

/** The picture of the moment: the last one stays until the next one is decoded, and the film lies over it. */
export function RewindPicture({ rewind, name, box, empty, isReady, timeZone }: RewindPictureProps) {
  const small = useRef<HTMLCanvasElement>(null);
  const { value: shown } = rewind.shown;
  const { width, height } = shown?.size ?? { width: 16, height: 9 };

  useSignalEffect(() => {
    const { value: pointed } = rewind.pointed;
    const { size } = rewind.shown.peek() ?? {};
    const isShown = pointed?.isDragged &&
      rewind.sheets.draw(small.current!, pointed.at, size ? size.width / size.height : 16 / 9);
    small.current!.hidden = !isShown;
  });

  const { value: problem } = rewind.problem;
  const before = rewind.before.value;
  const { value: framed } = rewind.framed;
  const { value: noPicture } = rewind.noPicture;
  const isEmpty = rewind.kept.value === null;
  const alt = shown ? `${name} on ${dateText(shown.at, timeZone)} at ${clockText(shown.at, timeZone)}` : "";
  return (
    <div class="rewind-box" ref={box}>
      {shown && !isEmpty && !(noPicture && shown.size === null) && (
        <img
          class="rewind-picture"
          src={(before ?? shown).src}
          alt={before ? `${alt}, a second before` : alt}
        />
      )}
      <video
        ref={(video) => void (rewind.video = video)}
        class="rewind-picture"
        hidden={!rewind.isFilm.value}
        muted
        playsInline
        aria-label={`${name}, played`}
      />
      <canvas ref={small} class="rewind-picture" hidden aria-hidden="true" />
      {rewind.isFraming.value && !noPicture && framed && framed !== "nothing" && !rewind.isFilm.value && (
        <svg
          class="rewind-picture rewind-frames"
          viewBox={`${-EDGE * width} ${-EDGE * height} ${(1 + 2 * EDGE) * width} ${(1 + 2 * EDGE) * height}`}
          aria-hidden="true"
        >
          <g transform={`scale(${width / 16} ${height / 9})`}>
            <path class="is-under" d={outlineOf(framed.cells)} />
            <path d={outlineOf(framed.cells)} />
          </g>
        </svg>
      )}
      {before && <p class="rewind-flag">Before</p>}
      {isEmpty
        ? <div class="rewind-message">{empty}</div>
        : noPicture && isReady && !rewind.pointed.value?.isDragged
        ? <Missing rewind={rewind} missing={noPicture} />
        : null}
      <DraggedGap rewind={rewind} />
      <p class="rewind-note" role="status">
        {rewind.note.value || problem?.way?.says || problem?.text}
        {problem?.way && !rewind.note.value && <a href={problem.way.href}>{problem.way.link}</a>}
      </p>
    </div>
  );
}

/** Why there is no picture of the moment, and the nearest ones. */
function Missing({ rewind, missing }: { rewind: Rewind; missing: NoPicture }) {
  const { at, before, after } = missing;
  const now = rewind.now.value;
  const says = at > now
    ? "This moment is yet to come."
    : before === null && after !== null && missing.reason === null
    ? `Nothing is kept of this time: the past goes back to ${dayText(after, now)}.`
    : gapText(missing);
  return (
    <div class="rewind-message">
      <p>{says}</p>
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
