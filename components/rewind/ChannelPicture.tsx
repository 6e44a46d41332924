import { useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { outlineOf } from "./bars.ts";
import type { Channel } from "./channel.ts";
import { clockText, dateText } from "./moment.ts";
import type { Rewind } from "./rewindState.ts";
import { drawPicture } from "./smallPicture.ts";

/** Part of the picture that its frames are drawn smaller by, so that those at its edges are seen. */
const EDGE = 0.004;

interface ChannelPictureProps {
  rewind: Rewind;
  channel: Channel;
  timeZone?: string;
}

/**
 * A channel at the moment: its picture, which stays until the next one is decoded, the film over it, a small picture over
 * both, and what changed.
 */
export function ChannelPicture({ rewind, channel, timeZone }: ChannelPictureProps) {
  const small = useRef<HTMLCanvasElement>(null);
  const { name } = channel;
  const { value: shown } = channel.shown;
  const { value: before } = channel.before;
  const { value: framed } = channel.framed;
  const { value: noPicture } = channel.noPicture;
  const { width, height } = shown?.size ?? { width: 16, height: 9 };

  useSignalEffect(() => {
    const at = rewind.smallAt(channel);
    small.current!.hidden = at === null || !drawPicture(small.current!, channel, at);
  });

  const alt = shown ? `${name} on ${dateText(shown.at, timeZone)} at ${clockText(shown.at, timeZone)}` : "";
  return (
    <>
      {shown && channel.kept.value !== null && !(noPicture && shown.size === null) && (
        <img
          ref={(image) => void (channel.image = image)}
          class="rewind-picture"
          src={(before ?? shown).src}
          // what is played has gone on, and a film or a small picture lies over it
          hidden={rewind.playing.value > 0 && shown.at !== rewind.at.value}
          alt={before ? `${alt}, a second before` : alt}
        />
      )}
      <video
        ref={(video) => void (channel.video = video)}
        class="rewind-picture"
        hidden={!channel.isFilm.value}
        muted
        playsInline
        aria-label={`${name}, played`}
      />
      <canvas ref={small} class="rewind-picture" hidden aria-hidden="true" />
      {rewind.isFraming.value && !noPicture && framed && framed !== "nothing" && !channel.isFilm.value && (
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
    </>
  );
}
