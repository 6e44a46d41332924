import type { ComponentChildren } from "preact";
import type { HeaderFacts } from "../../lib/model/answers/header.ts";
import { Icon } from "../ui/Icon.tsx";
import { WhoYouAre } from "./WhoYouAre.tsx";

interface PageHeaderProps {
  /** Null: a page for somebody who is not let in. */
  header: HeaderFacts | null;
  children?: ComponentChildren;
}

/** The bar on top of every page: the other pages, the page's main actions, and who one is. It works without JavaScript. */
export function PageHeader({ header, children }: PageHeaderProps) {
  return (
    <header class="bar">
      <a class="brand" href="/">
        <Icon name="logo" />
        <span>Browser Stream</span>
      </a>
      {header && (
        <nav class="pages" aria-label="Pages">
          {header.links.map(({ href, label, current }) => (
            <a key={href} href={href} aria-current={current}>{label}</a>
          ))}
        </nav>
      )}
      {children}
      {header?.person && <WhoYouAre {...header.person} />}
    </header>
  );
}
