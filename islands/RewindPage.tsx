import { useEffect, useRef, useState } from "preact/hooks";
import { useTheme } from "../components/prefs/useTheme.ts";
import type { ChannelParts } from "../components/rewind/channel.ts";
import { agoText, clockText, dateText, zoneText } from "../components/rewind/moment.ts";
import { NothingKept } from "../components/rewind/NothingKept.tsx";
import { RewindBar } from "../components/rewind/RewindBar.tsx";
import { RewindControls } from "../components/rewind/RewindControls.tsx";
import { RewindPicture } from "../components/rewind/RewindPicture.tsx";
import { RewindSide } from "../components/rewind/RewindSide.tsx";
import { Rewind, type RewindParts } from "../components/rewind/rewindState.ts";
import { RewindWall } from "../components/rewind/RewindWall.tsx";
import { useRewindKeys } from "../components/rewind/useRewindKeys.ts";
import { Icon } from "../components/ui/Icon.tsx";
import { PageHeader } from "../components/header/PageHeader.tsx";
import type { HeaderFacts } from "../lib/model/answers/header.ts";
import { wallPage } from "../components/wall/wallStreams.ts";
import { rewindLink, streamLinks, wallRewindLink } from "../lib/model/links.ts";
import type { WallGrid } from "../lib/model/wall/layout.ts";
import type { PastWall } from "../lib/model/wall/past.ts";

interface RewindPageProps extends Pick<RewindParts, "at" | "library"> {
  header: HeaderFacts;
  name: string;
  /** The streams whose past is shown. */
  channels: ChannelParts[];
  /** Where they are on a wall; null: it is the page of the only one. */
  wall: PastWall | null;
  /** The service's, for the page without a script. */
  timeZone: string;
}

const ALONE: WallGrid = { rows: 1, columns: 1, slots: [] };

/** What a stream, or all of a wall, showed at any moment that is kept, and the way there. */
export function RewindPage({ name, channels, wall, timeZone: zone, header, ...parts }: RewindPageProps) {
  useTheme();
  const [rewind] = useState(() => {
    const address = (at?: number) => wall ? wallRewindLink(wall.id, at) : rewindLink(channels[0].id, at);
    return new Rewind({ ...parts, channels, grid: wall ?? ALONE, isWall: wall !== null, address });
  });
  const [isReady, setReady] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    setReady(true);
    return rewind.start();
  }, []);
  useRewindKeys(rewind, () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else box.current?.requestFullscreen?.().catch(() => {});
  });
  const timeZone = isReady ? undefined : zone;
  const { value: at } = rewind.at;
  const isLive = rewind.moment.value === null && !rewind.pointed.value?.isDragged;
  const ago = isLive ? "live" : isReady && at !== null ? agoText(rewind.now.value - at) : "";
  const momentText = at === null ? "" : `${dateText(at, timeZone)}, ${clockText(at, timeZone)}, ${ago}`;
  const { value: arrived } = rewind.arrived;
  const isTold = !isReady || arrived === null || document.activeElement?.role === "slider";
  return (
    <>
      <PageHeader header={header}>
        {!wall && (
          <a class="button quiet" href={streamLinks(channels[0].id).stream}>
            <Icon name="back" />State
          </a>
        )}
      </PageHeader>
      <main id="main" class={wall ? "page rewind is-of-wall" : "page rewind"} data-ready={isReady}>
        <h1 class="wrap">{name}</h1>
        {wall
          ? <RewindWall rewind={rewind} slots={wall.slots} box={box} timeZone={timeZone} />
          : (
            <RewindPicture
              rewind={rewind}
              channel={rewind.channels[0]}
              box={box}
              empty={<NothingKept {...channels[0]} />}
              isReady={isReady}
              timeZone={timeZone}
            />
          )}
        <div class="rewind-timeline">
          <p class="rewind-moment">
            {at === null ? <strong>–</strong> : (
              <>
                <strong>{clockText(at, timeZone)}</strong>
                <span>{dateText(at, timeZone)}</span>
                <span>{zoneText(at, timeZone)}</span>
                <span class={isLive ? "is-live" : undefined}>{ago}</span>
              </>
            )}
          </p>
          {/* the slider tells its own moment */}
          <p class="hidden" role="status">{isTold ? "" : `${dateText(arrived)}, ${clockText(arrived)}`}</p>
          <RewindBar rewind={rewind} momentText={momentText} />
          <RewindControls rewind={rewind} />
        </div>
        <RewindSide
          rewind={rewind}
          isReady={isReady}
          live={wall ? wallPage(wall.id) : streamLinks(channels[0].id).player}
        />
        <noscript>
          <p class="no-script">
            Going through the past needs JavaScript. What is above is that of the address.
          </p>
        </noscript>
      </main>
    </>
  );
}
