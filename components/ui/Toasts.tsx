import { type Connection, wayBack } from "../client/connection.ts";
import { Icon } from "./Icon.tsx";
import type { Toaster } from "./useToast.ts";

interface ToastsProps {
  connection: Connection;
  problem: string;
  /** The text for screen readers only: the page shows the same to everyone else. */
  announcement: string;
  /** The lines that say that an action worked. */
  toast?: Toaster;
  /** What goes on for long; null: nothing. */
  work?: Work | null;
  onDismiss: () => void;
}

interface Work {
  /** "Deleting". */
  what: string;
  done: number;
  all: number;
}

/** Messages that lie over the page's edges, so that nothing moves when they come and go. */
export function Toasts({ connection, problem, announcement, toast, work, onDismiss }: ToastsProps) {
  return (
    <>
      <p class="hidden" role="status">{announcement}</p>
      <div class="toasts is-low">
        {work && (
          // no live region: a screen reader would read each step
          <div class="toast is-running">
            <label>
              {`${work.what} ${work.done} of ${work.all}.`} <progress value={work.done} max={work.all} />
            </label>
          </div>
        )}
        <div role="status">
          {toast?.shown.value.map((line) => (
            <div
              key={line}
              class="toast is-running"
              onPointerEnter={() => toast.hold(true)}
              onPointerLeave={() => toast.hold(false)}
              onFocusIn={() => toast.hold(true)}
              onFocusOut={() => toast.hold(false)}
            >
              <p>{line.text}</p>
              {line.undo && (
                <button type="button" class="link" aria-keyshortcuts="Control+Z" onClick={line.undo}>
                  Undo
                </button>
              )}
            </div>
          ))}
        </div>
        <div role="alert">
          {problem && (
            <div class="toast is-failed">
              <p>{problem}</p>
              <button type="button" class="quiet square" title="Dismiss" onClick={onDismiss}>
                <Icon name="close" />
                <span class="hidden">Dismiss</span>
              </button>
            </div>
          )}
        </div>
      </div>
      <div class="toasts is-high" role="status">
        <ConnectionProblem connection={connection} />
      </div>
    </>
  );
}

interface ConnectionProblemProps {
  connection: Connection;
  /** Whether the login opens in another tab: the typed text of a dialog stays. */
  isInDialog?: boolean;
}

/** The connection's problem: on the page, and again in an open dialog, which hides the page from screen readers. */
export function ConnectionProblem({ connection, isInDialog }: ConnectionProblemProps) {
  if (connection === "up") return null;
  const back = wayBack(connection);
  return (
    <div class="toast is-degraded">
      {back === null
        ? (
          <p>
            <strong>Connection lost.</strong> What you see may be out of date. This page reconnects by itself.
          </p>
        )
        : (
          <p>
            <strong>{back.says}</strong> What you see may be out of date.{" "}
            <a href={back.href} target={isInDialog ? "_blank" : undefined}>{back.link}</a>
          </p>
        )}
    </div>
  );
}
