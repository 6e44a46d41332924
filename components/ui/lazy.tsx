import type { ComponentType } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { type Connection, CurrentConnection } from "../client/connection.ts";

interface LazyProps {
  /** The component could not be fetched; the next showing tries again. */
  onFail: (message: string) => void;
}

const NOT_LOADED = "A part of this page could not be loaded. Reload the page, then try again.";
const AWAY = "The service cannot be reached. Check that you are online, then try again.";
const LOGGED_OUT = "You are no longer logged in. Log in again and try again.";

const WHY: Partial<Record<Connection, string>> = { loggedOut: LOGGED_OUT, lost: AWAY };

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
      let isOver = false;
      if (!Content) {
        load().then(
          (component) => {
            loaded = component;
            if (!isOver) setContent(() => component);
          },
          // without a session the service sends no script
          () => isOver || onFail(WHY[connection] ?? NOT_LOADED),
        );
      }
      return () => void (isOver = true);
    }, []);
    return Content && <Content {...props as unknown as Props} />;
  };
}
