import { useEffect, useState } from "preact/hooks";
import { Logs } from "../components/log/Logs.tsx";
import type { LogPage } from "../components/log/useLog.ts";
import { useTheme } from "../components/prefs/useTheme.ts";
import { StreamDay } from "../components/stream/StreamDay.tsx";
import { StreamFacts } from "../components/stream/StreamFacts.tsx";
import { type FirstStream, useStream } from "../components/stream/useStream.ts";
import { PageHeader } from "../components/header/PageHeader.tsx";
import { Toasts } from "../components/ui/Toasts.tsx";
import { useTvKeys } from "../components/header/useArrowKeys.ts";
import type { HeaderFacts } from "../lib/model/answers/header.ts";
import { streamLinks } from "../lib/model/links.ts";

/** One stream: its state with advice, its picture, its last day, its events and logs; readable without JavaScript. */
export function StreamPage({ log, header, ...first }: FirstStream & { log: LogPage; header: HeaderFacts }) {
  useTheme();
  useTvKeys();
  const shown = useStream(first);
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  return (
    <>
      <PageHeader header={header} />
      <main id="main" class="page column stream-page" data-ready={isReady}>
        <h1 class="wrap">{shown.stream.name}</h1>
        <StreamFacts shown={shown} isReady={isReady} />
        {/* the server's HTML has the service's zone */}
        <StreamDay shown={shown} timeZone={isReady ? undefined : log.timeZone} />
        <section class="stream-log" aria-labelledby="what-happened">
          <h2 id="what-happened">Events and logs</h2>
          <Logs page={log} isReady={isReady} address={streamLinks(log.id).log} />
        </section>
      </main>
      <Toasts
        connection={shown.connection}
        problem={shown.problem}
        announcement={shown.announcement}
        onDismiss={shown.dismiss}
      />
    </>
  );
}
