import type { ComponentChildren } from "preact";
import type { HeaderFacts } from "../../lib/model/answers/header.ts";
import { PageHeader } from "../header/PageHeader.tsx";

interface MessagePageProps {
  header: HeaderFacts | null;
  title: string;
  children: ComponentChildren;
}

/** A page with only a message: errors and missing pages. */
export function MessagePage({ header, title, children }: MessagePageProps) {
  return (
    <>
      <PageHeader header={header} />
      <main id="main" class="page">
        <div class="empty">
          <h1>{title}</h1>
          {children}
          <p>
            <a class="button primary" href="/">Show the streams</a>
          </p>
        </div>
      </main>
    </>
  );
}
