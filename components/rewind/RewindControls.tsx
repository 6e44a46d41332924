import { Icon } from "../ui/Icon.tsx";
import { SPEEDS } from "../../lib/model/past.ts";
import type { Rewind } from "./rewindState.ts";
import { ZOOM_NAMES, ZOOMS } from "./windows.ts";

const STEPS = { back: "M15 5 8 12l7 7M6 5v14", on: "M9 5l7 7-7 7M18 5v14", pause: "M8.5 5.5v13M15.5 5.5v13" };

function Shape({ name }: { name: keyof typeof STEPS }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={STEPS[name]} />
    </svg>
  );
}

/** Stepping, playing, the speed, the zoom, and the way to the newest picture. */
export function RewindControls({ rewind }: { rewind: Rewind }) {
  const isLive = rewind.moment.value === null;
  const isPlaying = rewind.playing.value > 0;
  const { value: zoom } = rewind.zoom;
  return (
    <div class="rewind-controls js">
      <div role="group" aria-label="Play">
        <button
          type="button"
          class="square"
          title="Previous change (Left)"
          onClick={() => void rewind.step(true)}
        >
          <Shape name="back" />
          <span class="hidden">Previous change</span>
        </button>
        <button type="button" class="rewind-play" title="Space" onClick={() => rewind.toggle()}>
          {isPlaying ? <Shape name="pause" /> : <Icon name="play" />}
          {isPlaying ? "Pause" : "Play"}
        </button>
        <button
          type="button"
          class="square"
          title="Next change (Right)"
          aria-disabled={`${isLive}`}
          onClick={() => void rewind.step(false)}
        >
          <Shape name="on" />
          <span class="hidden">Next change</span>
        </button>
      </div>
      <div class="rewind-choice" role="group" aria-label="Speed">
        {SPEEDS.map((speed) => (
          <button
            key={speed}
            type="button"
            class="quiet"
            aria-pressed={`${rewind.speed.value === speed}`}
            onClick={() => void rewind.setSpeed(speed)}
          >
            {speed}×
          </button>
        ))}
      </div>
      <div class="rewind-choice rewind-zoom" role="group" aria-label="Shown time">
        {ZOOM_NAMES.map((name) => (
          <button
            key={name}
            type="button"
            class="quiet"
            aria-pressed={`${zoom === name}`}
            title="Keys + and -"
            onClick={() => rewind.zoomTo(name)}
          >
            {ZOOMS[name].word}
          </button>
        ))}
      </div>
      <button
        type="button"
        class="rewind-live"
        aria-pressed={`${isLive}`}
        title="Home"
        onClick={() => rewind.go(null)}
      >
        <span class="rewind-dot" />
        Live
      </button>
    </div>
  );
}
