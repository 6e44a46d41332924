import { useEffect, useRef, useState } from "preact/hooks";
import { type Remedy, TROUBLES } from "../../../lib/model/answers/page_health.ts";
import type { PublicStream } from "../../../lib/model/schema.ts";
import { serverNow } from "../../client/serverClock.ts";
import { lazy } from "../../ui/lazy.tsx";
import { useBoardContext } from "../BoardContext.ts";
import type { CardLinks } from "./cardLinks.ts";
import { isTelevision } from "./arrowStops.ts";
import { problemPlace } from "./problemPlace.ts";
import { nextTry, remediesOf, REMEDY_WORDS, remedyDialog } from "./cardRemedies.ts";
import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";

const CardLogin = lazy(async () => (await import("./CardLogin.tsx")).CardLogin);

interface CardProblemProps {
  stream: PublicStream;
  status: StreamStatus;
  links: CardLinks;
}

/** A stream's problem in a sentence, and its remedies. */
export function CardProblem({ stream, status, links }: CardProblemProps) {
  const { board, isReady, prefs } = useBoardContext();
  const [isLogin, setLogin] = useState(false);
  const wasLogin = useRef(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (wasLogin.current && !isLogin) place.current?.closest<HTMLElement>("[data-id]")?.focus();
    wasLogin.current = isLogin;
  }, [isLogin]);
  // elsewhere there is no room for two fields, or no keyboard; the service knows neither
  const mayLogIn = isReady && /^(md|lg)$/.test(prefs.general.cardSize) && !isTelevision();
  const reason = status.reason || "The reason is not known.";
  const where = problemPlace(stream, status);
  const advice = status.trouble ? TROUBLES[status.trouble].advice : "";
  const next = isReady ? nextTry(status, serverNow()) : "";
  if (isLogin) {
    const close = () => setLogin(false);
    return (
      <CardLogin
        stream={stream}
        onDone={close}
        onFail={(message) => (board.problem.value = message, close())}
      />
    );
  }
  return (
    <div class="card-problem" ref={place}>
      <p class="reason">
        {reason}
        {(where || advice) && <span class="advice">{[where, advice].filter(Boolean).join(": ")}</span>}
      </p>
      <p class="remedies" data-least="operator">
        {remediesOf(status).map((remedy) => (
          <RemedyControl
            key={remedy}
            remedy={remedy}
            stream={stream}
            status={status}
            links={links}
            onLogin={mayLogIn ? () => setLogin(true) : undefined}
          />
        ))}
      </p>
      {/* the last element, since its width changes during the countdown: nothing beside it may move */}
      {next && <p class="next-try">{next}</p>}
    </div>
  );
}

/** Why a stream waits for room, and buttons that start it all the same, or end the wait. */
export function NoRoom({ stream, reason }: { stream: PublicStream; reason: string }) {
  const { board } = useBoardContext();
  const isBusy = board.busy.value.has(stream.id);
  return (
    <div class="card-problem">
      <p class="reason">
        No room now: {reason}.<span class="advice">The stream starts by itself when there is room.</span>
      </p>
      <p class="remedies" data-least="operator">
        <button
          type="button"
          class="js link"
          disabled={isBusy}
          onClick={() => board.run(stream, "start", true)}
        >
          Start anyway<span class="hidden">: {stream.name}</span>
        </button>
        <button
          type="button"
          class="js link"
          disabled={isBusy}
          onClick={() => board.run(stream, "stop")}
        >
          Stop waiting<span class="hidden">: {stream.name}</span>
        </button>
      </p>
    </div>
  );
}

interface RemedyProps extends CardProblemProps {
  remedy: Remedy;
  /** Shows the fields for a login on the card; absent: the form has them. */
  onLogin?: () => void;
}

function RemedyControl({ remedy, stream, status, links, onLogin }: RemedyProps) {
  const { board, openDialog } = useBoardContext();
  const { id, name } = stream;
  const whose = <span class="hidden">of {name}</span>;
  const dialog = remedyDialog(remedy, stream, status);
  if (dialog) {
    return (
      <button
        type="button"
        class="js link"
        onClick={remedy === "login" && onLogin ? onLogin : () => openDialog(dialog)}
      >
        {REMEDY_WORDS[remedy]}
        {whose}
      </button>
    );
  }
  if (remedy === "status") return <ShowAnyway stream={stream} status={status.page!.status!} />;
  if (remedy === "vnc") return <a href={links.vnc} {...links.target}>Open VNC{whose}</a>;
  if (remedy === "log") return <a href={links.log} {...links.target}>Log{whose}</a>;
  const isBusy = board.busy.value.has(id);
  return (
    <button type="button" class="js link" disabled={isBusy} onClick={() => board.run(stream, "restart")}>
      Restart{whose}
    </button>
  );
}

/** The remedy for a page that is right as it is, although its server reports an error. */
function ShowAnyway({ stream, status }: { stream: PublicStream; status: number }) {
  const { board } = useBoardContext();
  const isBusy = board.busy.value.has(stream.id);
  return (
    <button
      type="button"
      class="js link"
      disabled={isBusy}
      onClick={() => board.acceptStatus(stream, status)}
    >
      Show it anyway<span class="hidden">: {stream.name}</span>
    </button>
  );
}
