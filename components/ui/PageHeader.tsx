import type { ComponentChildren } from "preact";
import { Icon } from "./Icon.tsx";

/** The bar on top of every page: the way home and the page's main actions. */
export function PageHeader({ children }: { children?: ComponentChildren }) {
  return (
    <header class="bar">
      <a class="brand" href="/">
        <Icon name="logo" />
        <span>Browser Stream</span>
      </a>
      {children}
    </header>
  );
}

/** The way back from a page about something else. */
export function BackToStreams() {
  return (
    <a class="button quiet to-streams" href="/">
      <Icon name="back" />
      <span>Streams</span>
    </a>
  );
}
