import type { Ref } from "preact";
import { cellsOf } from "../../lib/model/wall/layout.ts";
import type { PastSlot } from "../../lib/model/wall/past.ts";
import { gapText } from "./bars.ts";
import type { Channel } from "./channel.ts";
import { ChannelPicture } from "./ChannelPicture.tsx";
import { nothingText } from "./NothingKept.tsx";
import { rewindLink } from "../../lib/model/links.ts";
import { missingText, RewindNote } from "./RewindPicture.tsx";
import type { Rewind } from "./rewindState.ts";

interface RewindWallProps {
  rewind: Rewind;
  slots: readonly PastSlot[];
  box: Ref<HTMLDivElement>;
  timeZone?: string;
}

/** A wall at the moment: each slot is its stream's picture then, and the way to that stream's own past. */
export function RewindWall({ rewind, slots, box, timeZone }: RewindWallProps) {
  const { rows, columns } = rewind.grid;
  // row by row, with what is empty: our policy forbids style attributes, and so the grid places them by itself
  const taken = new Map(slots.flatMap((slot) => cellsOf(slot, columns).map((cell) => [cell, slot] as const)));
  const cells = Array.from({ length: rows * columns }, (_, cell) => taken.get(cell) ?? null);
  return (
    <div class="rewind-box is-wall" data-rows={rows} data-columns={columns} ref={box}>
      {slots.length === 0 && <p class="rewind-message">This wall is empty.</p>}
      <ul class="rewind-grid">
        {cells.map((slot, cell) =>
          slot === null
            ? <li key={cell} class="rewind-slot is-empty" aria-hidden="true" />
            : cells.indexOf(slot) === cell && (
              <li
                key={cell}
                class="rewind-slot"
                data-wide={slot.columnSpan}
                data-high={slot.rowSpan}
              >
                <SlotContent rewind={rewind} slot={slot} timeZone={timeZone} />
              </li>
            )
        )}
      </ul>
      <RewindNote rewind={rewind} />
    </div>
  );
}

function SlotContent({ rewind, slot, timeZone }: { rewind: Rewind; slot: PastSlot; timeZone?: string }) {
  const channel = rewind.channelOf(slot.stream);
  if (!channel) {
    return slot.name === null ? null : (
      <>
        <p class="rewind-missing">{slot.says}</p>
        <p class="rewind-name">{slot.name}</p>
      </>
    );
  }
  const { value: at } = rewind.at;
  const says = saysOf(rewind, channel);
  const isChanged = at !== null && rewind.since.value === at && rewind.changed.value.includes(channel);
  const isOld = says === null && rewind.isOld(channel);
  return (
    <a
      class={isChanged && says === null ? "is-changed" : isOld ? "is-old" : undefined}
      href={rewindLink(channel.id, rewind.moment.value ?? undefined)}
    >
      <ChannelPicture rewind={rewind} channel={channel} timeZone={timeZone} />
      {says !== null
        ? <span class="rewind-missing">{says}</span>
        // others have gone on without it
        : isOld && rewind.playing.value > 0 && <span class="rewind-missing">Loading…</span>}
      <span class="rewind-name">{channel.name}</span>
    </a>
  );
}

/** Why a channel has no picture of the moment that the page is about; null: it has one, or that is not known yet. */
function saysOf(rewind: Rewind, channel: Channel): string | null {
  if (channel.kept.value === null) return nothingText(channel.why);
  const { at: { value: at }, now: { value: now } } = rewind;
  const isMoving = rewind.pointed.value?.isDragged || rewind.playing.value > 0;
  if (at !== null && isMoving) {
    const gap = channel.gaps.value.find(({ start, end }) => at >= start && at < end);
    return gap && !channel.isFilm.value ? gapText(gap) : null;
  }
  const { value: missing } = channel.noPicture;
  return missing && missingText(missing, now);
}
