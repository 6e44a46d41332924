import { streamLinks, wallRewindLink } from "../../lib/model/links.ts";
import type { Wall } from "../../lib/model/wall/wall.ts";
import { RUNNING_WALL } from "../../lib/model/wall/layout.ts";
import { RewindIcon } from "../rewind/RewindIcon.tsx";
import { Icon } from "../ui/Icon.tsx";
import { channelsOfWall, hasPastForViewers, wallPage, type WallStream, wallText } from "./wallStreams.ts";
import { WallPreview } from "./WallPreview.tsx";

interface WallCardProps {
  wall: Wall;
  streams: readonly WallStream[];
  /** Whether the wall is becoming a channel. */
  isBusy: boolean;
  onEdit: () => void;
  onShare: () => void;
  onChannel: () => void;
  onDelete: () => void;
}

/** A wall: its content and its actions. */
export function WallCard({ wall, streams, isBusy, onEdit, onShare, onChannel, onDelete }: WallCardProps) {
  const { id, name } = wall;
  const isStored = id !== RUNNING_WALL;
  const [channel] = channelsOfWall(id, streams);
  return (
    <li class="wall-card" id={`wall-${id}`}>
      <a class="wall-open" href={wallPage(id)} aria-label={`Open ${name}`}>
        <WallPreview wall={wall} streams={streams} />
      </a>
      <div class="wall-words">
        <div class="wall-title">
          <h2 class="wrap">{name}</h2>
          {isStored && (
            <button
              type="button"
              class="js quiet square wall-delete"
              data-least="operator"
              title="Delete"
              aria-label={`Delete ${name}`}
              onClick={onDelete}
            >
              <Icon name="delete" />
            </button>
          )}
        </div>
        <p class="hint wrap">{isStored ? wallText(wall, streams) : runningText(wall)}</p>
        {channel && (
          <p class="hint wrap">
            Channel: <a href={streamLinks(channel.id).player}>{channel.name}</a>
            {channel.isOn ? "" : ", stopped"}
          </p>
        )}
      </div>
      <div class="wall-actions">
        <a class="button" href={wallPage(id)}>Open</a>
        {wall.slots.some(({ stream }) => stream !== null) && (
          <a
            class="button"
            href={wallRewindLink(id)}
            aria-label={`Rewind ${name}`}
            data-least={hasPastForViewers(wall, streams) ? undefined : "operator"}
          >
            <RewindIcon />Rewind
          </a>
        )}
        {isStored && (
          <button type="button" class="js" data-least="operator" aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </button>
        )}
        <button type="button" class="js" aria-label={`Share ${name}`} onClick={onShare}>Share</button>
        {!channel && (
          <button
            type="button"
            class="js"
            data-least="operator"
            aria-label={`Make it a channel: ${name}`}
            aria-disabled={isBusy}
            onClick={() => isBusy || onChannel()}
          >
            Make it a channel
          </button>
        )}
      </div>
    </li>
  );
}

function runningText({ slots }: Wall): string {
  if (slots.length === 0) return "No stream runs now.";
  const count = slots.length === 1 ? "1 stream" : `${slots.length} streams`;
  return `${count} now. Streams that start later are added.`;
}
