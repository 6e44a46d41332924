import { useEffect, useState } from "preact/hooks";
import { Logs } from "../components/log/Logs.tsx";
import type { LogPage } from "../components/log/useLog.ts";
import { useTheme } from "../components/prefs/useTheme.ts";
import { Icon } from "../components/ui/Icon.tsx";
import { PageHeader } from "../components/header/PageHeader.tsx";
import { useTvKeys } from "../components/header/useArrowKeys.ts";
import type { HeaderFacts } from "../lib/model/answers/header.ts";
import { streamLinks } from "../lib/model/links.ts";

/** A stream's events and the logs of its programs over the whole window, readable without JavaScript. */
export function LogView({ header, ...page }: LogPage & { header: HeaderFacts }) {
  useTheme();
  useTvKeys();
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  return (
    <>
      <PageHeader header={header}>
        <a class="button quiet" href={streamLinks(page.id).stream}>
          <Icon name="info" />State
        </a>
      </PageHeader>
      <main id="main" class="page log-page" data-ready={isReady}>
        <h1 class="wrap">Log of {page.name}</h1>
        <Logs page={page} isReady={isReady} />
      </main>
    </>
  );
}
