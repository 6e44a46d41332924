import { wayBack } from "../client/connection.ts";
import { Icon } from "../ui/Icon.tsx";
import { streamLinks } from "../../lib/model/links.ts";
import type { VncView } from "./session.ts";

const MESSAGES: Record<Exclude<VncView["phase"], "connected">, [title: string, text: string]> = {
  connecting: ["Connecting…", "The remote page appears here."],
  waiting: [
    "One moment",
    "The connection ended. The stream may be starting again. This page reconnects by itself.",
  ],
  refused: ["The service refused the connection", ""],
  stopped: ["The stream is stopped", "Start it to use its browser."],
  planned: [
    "The stream is off the air",
    "Its plan starts it. To use its browser now, press Start on its card, and choose for how long.",
  ],
  gone: ["The stream was deleted", "It was deleted meanwhile."],
  loggedOut: ["You are logged out", "Log in again to use the stream's browser."],
  signedOut: [
    "You are signed out",
    "The proxy in front of the service asks you to sign in again. Load this page again.",
  ],
  offline: ["No connection to the service", "This page tries again until it is back."],
};

interface VncMessageProps {
  id: string;
  view: VncView;
  isStarting: boolean;
  problem: string;
  onStart: () => void;
}

/** Says why there is no remote page to see, and offers remedies. */
export function VncMessage({ id, view, isStarting, problem, onStart }: VncMessageProps) {
  if (view.phase === "connected") return null;
  const [title, text] = MESSAGES[view.phase];
  const back = wayBack(view.phase);
  const isRefused = view.phase === "refused";
  return (
    <div class="vnc-message">
      <div role="status">
        <h2>{title}</h2>
        <p>
          {isRefused ? view.reason : view.reason ? `Its state: ${view.reason.replace(/\.$/, "")}.` : text}
        </p>
      </div>
      {problem && <p class="problem" role="alert">{problem}</p>}
      {view.phase === "stopped" && (
        <button type="button" class="primary" aria-disabled={isStarting} onClick={onStart}>
          <Icon name="start" />
          {isStarting ? "Starting…" : "Start"}
        </button>
      )}
      {back && <a class="button primary" href={back.href}>{back.link}</a>}
      {view.phase === "gone" && <a class="button primary" href="/">Show the streams</a>}
      {view.reason && !isRefused && <a class="button" href={streamLinks(id).log}>Show the log</a>}
    </div>
  );
}
