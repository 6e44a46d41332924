import { Icon } from "./Icon.tsx";

interface NoticesProps {
  isConnected: boolean;
  problem: string;
  /** Heard, not seen: what it tells of can be seen on the page. */
  announcement: string;
  news: string;
  onDismiss: () => void;
}

/** Messages that lie over the page's edges, so that nothing moves when they come and go. */
export function Notices({ isConnected, problem, announcement, news, onDismiss }: NoticesProps) {
  return (
    <>
      <p class="hidden" role="status">{announcement}</p>
      <div class="notices is-low">
        <div role="status">
          {news && (
            <div class="notice is-running">
              <p>{news}</p>
            </div>
          )}
        </div>
        <div role="alert">
          {problem && (
            <div class="notice is-failed">
              <p>{problem}</p>
              <button type="button" class="quiet square" title="Dismiss" onClick={onDismiss}>
                <Icon name="close" />
                <span class="hidden">Dismiss</span>
              </button>
            </div>
          )}
        </div>
      </div>
      <div class="notices is-high" role="status">{!isConnected && <ConnectionLost />}</div>
    </>
  );
}

/** Said on the page, and in an open dialog, behind which the page is out of reach. */
export function ConnectionLost() {
  return (
    <div class="notice is-degraded">
      <p>
        <strong>Connection lost.</strong> What you see may be out of date. This page reconnects by itself.
      </p>
    </div>
  );
}
