import { useEffect, useRef, useState } from "preact/hooks";
import { useTheme } from "../components/prefs/useTheme.ts";
import { agoText, clockText, dateText, zoneText } from "../components/rewind/moment.ts";
import { NothingKept, type WhyNothing } from "../components/rewind/NothingKept.tsx";
import { RewindBar } from "../components/rewind/RewindBar.tsx";
import { RewindControls } from "../components/rewind/RewindControls.tsx";
import { RewindPicture } from "../components/rewind/RewindPicture.tsx";
import { RewindSide } from "../components/rewind/RewindSide.tsx";
import { Rewind, type RewindParts } from "../components/rewind/rewindState.ts";
import { useRewindKeys } from "../components/rewind/useRewindKeys.ts";
import { Icon } from "../components/ui/Icon.tsx";
import { PageHeader } from "../components/header/PageHeader.tsx";
import type { HeaderFacts } from "../lib/model/answers/header.ts";
import { streamLinks } from "../lib/model/links.ts";

interface RewindPageProps extends RewindParts {
  header: HeaderFacts;
  name: string;
  /** Why nothing new is kept; null: it is. */
  why: WhyNothing | null;
  /** The service's, for the page without a script. */
  timeZone: string;
}

/** What a stream showed at any moment that is kept, and the way there. */
export function RewindPage({ name, why, timeZone: zone, header, ...parts }: RewindPageProps) {
  useTheme();
  const [rewind] = useState(() => new Rewind(parts));
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
        <a class="button quiet" href={streamLinks(parts.id).stream}>
          <Icon name="back" />State
        </a>
      </PageHeader>
      <main id="main" class="page rewind" data-ready={isReady}>
        <h1 class="wrap">{name}</h1>
        <RewindPicture
          rewind={rewind}
          name={name}
          box={box}
          empty={<NothingKept id={parts.id} why={why} />}
          isReady={isReady}
          timeZone={timeZone}
        />
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
        <RewindSide rewind={rewind} isReady={isReady} />
        <noscript>
          <p class="no-script">
            Going through the past needs JavaScript. The picture above is that of the address.
          </p>
        </noscript>
      </main>
    </>
  );
}
