import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../ui/Icon.tsx";
import { barPath, gapLabel, gapText, keptOf, type Sign, signsOf } from "./bars.ts";
import { clockText, dateText, pastEventText, shareText } from "./moment.ts";
import { namesText } from "./merged.ts";
import type { Rewind } from "./rewindState.ts";
import { drawWall } from "./smallPicture.ts";
import { placeOf, ticksOf } from "./windows.ts";

/** In rem: a sign's place, a finger's place, a small picture with its ground, words, and a letter at most. */
const [SIGN, FINGER, TIP, WORDS, LETTER] = [1.75, 2.75, 11, 20, 0.5];

/** What is drawn depends on, in px. */
interface Sizes {
  width: number;
  height: number;
  rem: number;
  sign: number;
}

/** The past of the window as one bar: what changed when, what happened, and where nothing is kept. */
export function RewindBar({ rewind, momentText }: { rewind: Rewind; momentText: string }) {
  const track = useRef<HTMLDivElement>(null);
  const sizes = useSignal<Sizes | null>(null);
  const sign = useSignal<Sign | null>(null);

  useEffect(() => {
    const watch = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = track.current!;
      const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
      const sign = (matchMedia("(pointer: coarse)").matches ? FINGER : SIGN) * rem;
      sizes.value = { width, height, rem, sign };
    });
    watch.observe(track.current!);
    return () => watch.disconnect();
  }, []);

  function timeAt({ clientX }: PointerEvent): number {
    const { left, width } = track.current!.getBoundingClientRect();
    const { start, end } = rewind.window.value;
    const at = Math.floor(start + Math.max(0, Math.min((clientX - left) / width, 1)) * (end - start));
    return Math.min(at, rewind.now.value);
  }

  function down(event: PointerEvent) {
    if (event.button !== 0) return;
    track.current!.setPointerCapture(event.pointerId);
    rewind.pointed.value = { at: timeAt(event), isDragged: true };
  }

  function move(event: PointerEvent) {
    const isDragged = rewind.pointed.value?.isDragged ?? false;
    if (isDragged || event.pointerType === "mouse") rewind.pointed.value = { at: timeAt(event), isDragged };
  }

  function up(event: PointerEvent) {
    if (!rewind.pointed.value?.isDragged) return;
    const at = timeAt(event);
    rewind.pointed.value = event.pointerType === "mouse" ? { at, isDragged: false } : null;
    rewind.go(at, true);
  }

  function leave() {
    if (!rewind.pointed.value?.isDragged) rewind.pointed.value = null;
  }

  const { start, end } = rewind.kept.value ?? rewind.window.value;
  const { value: size } = sizes;
  return (
    <div class="rewind-bar">
      <div class="rewind-signs" role="group" aria-label="Events">
        {size && <Signs rewind={rewind} sizes={size} onPoint={(one) => sign.value = one} />}
      </div>
      <div
        ref={track}
        class="rewind-track"
        role="slider"
        tabIndex={0}
        aria-label="Moment"
        aria-valuemin={Math.min(start, rewind.at.value ?? start)}
        aria-valuemax={Math.max(end, rewind.at.value ?? end)}
        aria-valuenow={rewind.at.value ?? end}
        aria-valuetext={momentText}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={() => rewind.pointed.value = null}
        onPointerLeave={leave}
      >
        {size && (
          <svg width={size.width} height={size.height} aria-hidden="true">
            <Graph rewind={rewind} sizes={size} />
            <Cursor rewind={rewind} sizes={size} />
          </svg>
        )}
      </div>
      <div class="rewind-ticks" aria-hidden="true">{size && <Ticks rewind={rewind} sizes={size} />}</div>
      {size && <Tip rewind={rewind} sizes={size} sign={sign.value} />}
    </div>
  );
}

interface PartProps {
  rewind: Rewind;
  sizes: Sizes;
}

function Graph({ rewind, sizes: { width, height, rem } }: PartProps) {
  const { value: window } = rewind.window;
  const { value: changes } = rewind.changes;
  if (!changes) return null;
  const x = (at: number) => Math.round(placeOf(at, window) * width);
  const gaps = rewind.gaps.value;
  return (
    <>
      {keptOf(gaps, window, rewind.now.value).map(({ start, end }) => (
        <rect
          key={start}
          class="is-kept"
          x={x(start)}
          width={Math.max(1, x(end) - x(start))}
          height={height}
        />
      ))}
      {gaps.map((gap) => {
        const { start, end } = gap;
        const text = gapLabel(gap);
        const [from, to] = [Math.max(0, x(start)), Math.min(width, x(end))];
        // beside the cursor, which stands in the middle of what an address opens
        return to - from > (text.length + 2) * LETTER * rem && (
          <text
            key={start}
            x={from + (to - from) / (to - from > width / 2 ? 4 : 2)}
            y={height / 2}
            class="is-gap"
          >
            {text}
          </text>
        );
      })}
      <path class="is-change" d={barPath(changes, window, width, height)} />
    </>
  );
}

function Cursor({ rewind, sizes: { width, height } }: PartProps) {
  const { value: at } = rewind.at;
  const { value: pointed } = rewind.pointed;
  const isLive = rewind.moment.value === null && !pointed?.isDragged;
  const x = (at: number) => Math.round(placeOf(at, rewind.window.value) * (width - 3));
  if (at === null) return null;
  return (
    <>
      {pointed && !pointed.isDragged && (
        <rect class="is-pointed" x={x(pointed.at) + 1} width={1} height={height} />
      )}
      <g class={isLive ? "is-cursor is-live" : "is-cursor"}>
        <rect x={x(at)} width={3} height={height} />
        <path d={`M${x(at) - 4} 0h11l-5.5 7z`} />
      </g>
    </>
  );
}

function Ticks({ rewind, sizes: { width, rem } }: PartProps) {
  const { window: { value: window }, zoom: { value: zoom } } = rewind;
  return (
    <>
      {ticksOf(zoom, window, width / rem).map((at) => {
        const x = placeOf(at, window) * width;
        // a word at an end would be cut
        return x > 1.5 * rem && x < width - 1.5 * rem && (
          <span key={at} style={{ left: `${x}px` }}>
            {clockText(at).slice(0, zoom === "minutes" ? 8 : 5)}
          </span>
        );
      })}
    </>
  );
}

function Signs(props: PartProps & { onPoint: (sign: Sign | null) => void }) {
  const { rewind, sizes: { width, sign: size }, onPoint } = props;
  const { value: changes } = rewind.changes;
  const signs = changes ? signsOf(changes, rewind.window.value, width, size) : [];
  return (
    <>
      {signs.map((sign) => (
        <button
          key={`${sign.events[0].stream} ${sign.events[0].id}`}
          type="button"
          class={`quiet sign is-${sign.level}`}
          style={{ left: `${Math.max(size / 2, Math.min(sign.x, width - size / 2))}px` }}
          aria-label={linesOf(sign).join(" ")}
          onClick={() => rewind.go(sign.at)}
          onPointerEnter={() => onPoint(sign)}
          onPointerLeave={() => onPoint(null)}
          onFocus={() => onPoint(sign)}
          onBlur={() => onPoint(null)}
        >
          <Icon name={sign.icon} />
        </button>
      ))}
    </>
  );
}

const MOST_LINES = 3;

function linesOf({ events }: Sign): string[] {
  const lines = events.slice(0, MOST_LINES).map((event) =>
    `${clockText(Math.floor(event.at / 1000))} ${pastEventText(event)}`
  );
  return events.length > MOST_LINES ? [...lines, `and ${events.length - MOST_LINES} more.`] : lines;
}

/** What is at the pointer, or at a sign. */
function Tip({ rewind, sizes: { width, rem }, sign }: PartProps & { sign: Sign | null }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useSignalEffect(() => {
    const { value: pointed } = rewind.pointed;
    if (!canvas.current || !pointed) return;
    canvas.current.hidden = pointed.isDragged || !drawWall(canvas.current, rewind, pointed.at);
  });
  const { value: pointed } = rewind.pointed;
  const at = sign ? sign.at : pointed?.at;
  const isShown = at !== undefined;
  const half = Math.min(width, (sign ? WORDS : TIP) * rem) / 2;
  const x = isShown ? Math.max(half, Math.min(placeOf(at, rewind.window.value) * width, width - half)) : 0;
  const gap = rewind.gaps.value.find(({ start, end }) => isShown && at >= start && at < end);
  const { scale = 1, slots = [] } = rewind.changes.value ?? {};
  const slot = slots.find(({ start }) => isShown && at >= start && at < start + scale);
  return (
    <div
      class={sign ? "rewind-tip is-sign" : "rewind-tip"}
      hidden={!isShown}
      style={isShown ? { left: `${x}px` } : undefined}
      aria-hidden="true"
    >
      <canvas ref={canvas} hidden={sign !== null || gap !== undefined} />
      {isShown && (sign ? linesOf(sign).map((line) => <span key={line}>{line}</span>) : (
        <>
          <strong>{clockText(at)}</strong>
          {rewind.zoom.value === "day" && <span>{dateText(at).split(" ").slice(0, 3).join(" ")}</span>}
          {gap
            ? <span>{gapText(gap)}</span>
            : slot?.share
            ? <span>{slot.names ? namesText(slot.names) : shareText(slot.share)} changed</span>
            : null}
        </>
      ))}
    </div>
  );
}
