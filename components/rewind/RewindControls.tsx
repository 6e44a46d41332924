import { SPEEDS } from "../../lib/model/past.ts";
import { Icon } from "../ui/Icon.tsx";
import { type Rewind } from "./rewindState.ts";
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
      <Choice
        label="Speed"
        values={SPEEDS}
        chosen={rewind.speed.value}
        word={(speed) => `${speed}×`}
        choose={(speed) => void rewind.setSpeed(speed)}
      />
      <Choice
        label="Shown time"
        class="rewind-zoom"
        title="Keys + and -"
        values={ZOOM_NAMES}
        chosen={zoom}
        word={(name) => ZOOMS[name].word}
        choose={(name) => rewind.zoomTo(name)}
      />
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

interface ChoiceProps<Value> {
  label: string;
  class?: string;
  title?: string;
  values: readonly Value[];
  chosen: unknown;
  word: (value: Value) => string;
  choose: (value: Value) => void;
}

/** One of a few, side by side. */
function Choice<Value extends string | number>(
  { label, class: more = "", title, values, chosen, word, choose }: ChoiceProps<Value>,
) {
  return (
    <div class={`rewind-choice ${more}`.trim()} role="group" aria-label={label}>
      {values.map((value) => (
        <button
          key={value}
          type="button"
          class="quiet"
          aria-pressed={`${value === chosen}`}
          title={title}
          onClick={() => choose(value)}
        >
          {word(value)}
        </button>
      ))}
    </div>
  );
}
