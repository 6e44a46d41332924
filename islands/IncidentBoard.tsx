import { useEffect, useState } from "preact/hooks";
import { useKeptSession } from "../components/client/useKeptSession.ts";
import { IncidentList, type IncidentListProps } from "../components/incidents/IncidentList.tsx";
import { useTheme } from "../components/prefs/useTheme.ts";
import { PageHeader } from "../components/header/PageHeader.tsx";
import { useTvKeys } from "../components/header/useArrowKeys.ts";
import type { HeaderFacts } from "../lib/model/answers/header.ts";

interface IncidentBoardProps extends IncidentListProps {
  header: HeaderFacts;
  isLoginOn: boolean;
  /** The service's, for the page without a script. */
  timeZone: string;
}

/** What went wrong, of all streams and of the machine; readable without JavaScript. */
export function IncidentBoard({ header, isLoginOn, timeZone, ...list }: IncidentBoardProps) {
  useTheme();
  useKeptSession(isLoginOn);
  useTvKeys();
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  return (
    <>
      <PageHeader header={header} />
      <main id="main" class="page column incidents" data-ready={isReady}>
        <IncidentList {...list} timeZone={isReady ? undefined : timeZone} />
      </main>
    </>
  );
}
