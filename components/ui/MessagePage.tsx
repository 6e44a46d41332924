import type { ComponentChildren } from "preact";
import { PageHeader } from "./PageHeader.tsx";

/** A page with only a message: errors and missing pages. */
export function MessagePage({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <>
      <PageHeader />
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
