import type { ComponentType } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { api, problemOf } from "../client/api.ts";
import { type Connection, CurrentConnection } from "../client/connection.ts";

interface LazyProps {
  /** The component could not be fetched; the next showing tries again. */
  onFail: (message: string) => void;
}

const NOT_LOADED = "A part of this page could not be loaded. Reload the page, then try again.";

/**
 * A component that is fetched when it is first shown, so that a page loads no code that few viewers need. It shows
 * nothing until it is fetched.
 */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy({ onFail, ...props }: Props & LazyProps) {
    const connection = useContext(CurrentConnection);
    const [Content, setContent] = useState<ComponentType<Props> | null>(() => loaded);
    useEffect(() => {
      if (Content) return;
      let isOver = false;
      reach(connection).then(() => load().catch(() => Promise.reject(new Error(NOT_LOADED)))).then(
        (component) => {
          loaded = component;
          if (!isOver) setContent(() => component);
        },
        (error) => isOver || onFail(problemOf(error)),
      );
      return () => void (isOver = true);
    }, []);
    return Content && <Content {...props as unknown as Props} />;
  };
}

/**
 * Asks the service first where it may not answer: Chromium keeps a failed import until the page is loaded again.
 * @throws {ApiError} why it gives nothing now.
 */
async function reach(connection: Connection): Promise<void> {
  if (connection !== "up" || !navigator.onLine) await api.config();
}
