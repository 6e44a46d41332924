import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { figuresText, pushText } from "../../lib/model/answers/figures.ts";
import { rewindLink, streamLinks } from "../../lib/model/links.ts";
import { asksPlan, toggleOf } from "../board/card/toggle.ts";
import { lifeSign } from "../board/card/lifeSign.ts";
import { clockText } from "../board/card/returnText.ts";
import { PlanDialog } from "../board/card/PlanDialog.tsx";
import { StateChip } from "../board/card/StateChip.tsx";
import { Thumbnail } from "../board/card/Thumbnail.tsx";
import { duration } from "../board/boardState.ts";
import { serverNow } from "../client/serverClock.ts";
import { RewindIcon } from "../rewind/RewindIcon.tsx";
import { Icon } from "../ui/Icon.tsx";
import { editLink } from "./editLink.ts";
import { lastChangeText } from "./lastChange.ts";
import { StreamProblem } from "./StreamProblem.tsx";
import type { ShownStream } from "./useStream.ts";

interface StreamFactsProps {
  shown: ShownStream;
  /** Whether the page's script runs: the server's clock is known then. */
  isReady: boolean;
}

/** The stream's picture, its state in full, and its commands. */
export function StreamFacts({ shown, isReady }: StreamFactsProps) {
  const { stream, status, figures, command, connection } = shown;
  const { id, name } = stream;
  const links = streamLinks(id);
  const uses = figures ? figuresText(figures) : "";
  return (
    <div class={`stream-facts is-${status.state}`}>
      <div class="screen">
        <a class="thumbnail" href={links.player}>
          <Thumbnail id={id} name={name} status={status} connection={connection} />
        </a>
      </div>
      <div class="stream-now">
        <p class="stream-state">
          <StateChip state={status.state} />
          <span>{isReady && lifeSign(status, command)}</span>
        </p>
        <StreamProblem shown={shown} isReady={isReady} />
        <dl>
          <Fact name={stream.morePages === "" ? "Page" : "Pages"}>
            {[...new Set([stream.url, ...stream.morePages.split("\n").filter(Boolean)])].map((url) => (
              <a key={url} class="wrap" href={url} rel="noreferrer" target="_blank">{url}</a>
            ))}
          </Fact>
          {isReady && status.nextPage && (
            <Fact name="Next page">
              <span class="wrap">{status.nextPage.url} at {clockText(status.nextPage.at)}</span>
            </Fact>
          )}
          <Fact name="Viewers">{figures?.viewers ?? "–"}</Fact>
          <Fact name="Uses">{uses || "–"}</Fact>
          {stream.pushTo !== "" && <Fact name="Push">{pushText(figures?.push ?? null) || "Off"}</Fact>}
          {status.page?.certificateEndsAt !== undefined && (
            <Fact name="Certificate">
              until {new Date(status.page.certificateEndsAt).toISOString().slice(0, 10)}
            </Fact>
          )}
          {typeof status.lastChangeAt === "number" && (
            <Fact name="Last change">
              {isReady ? lastChangeText(status.lastChangeAt, serverNow()) : "–"}
            </Fact>
          )}
          <Fact name="Thumbnail">
            {!isReady || status.thumbAt === undefined
              ? "–"
              : `${duration((serverNow() - status.thumbAt) / 1000)} old`}
          </Fact>
          {stream.group !== "" && <Fact name="Group">{stream.group}</Fact>}
          {status.node && <Fact name="Node">{status.node}</Fact>}
        </dl>
        <Actions shown={shown} />
      </div>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Actions({ shown: { stream, status, isBusy, run } }: { shown: ShownStream }) {
  const links = streamLinks(stream.id);
  const [isAsking, setAsking] = useState(false);
  const isStopped = status.state === "stopped";
  const toggle = toggleOf(status.state);
  const isAsked = asksPlan(stream, status);
  return (
    <>
      <p class="stream-actions">
        <a class={isStopped ? "button" : "button primary"} href={links.player}>
          <Icon name="play" />Play
        </a>
        <a class="button" href={links.vnc} data-least="operator">
          <Icon name="vnc" />VNC
        </a>
        <a
          class="button"
          href={rewindLink(stream.id)}
          data-least={stream.rewindFor === "viewers" ? undefined : "operator"}
        >
          <RewindIcon />Rewind
        </a>
        <button
          type="button"
          class={isStopped ? "js primary" : "js"}
          data-least="operator"
          aria-disabled={isBusy}
          aria-haspopup={isAsked ? "dialog" : undefined}
          onClick={() => isAsked ? setAsking(true) : run(toggle)}
        >
          <Icon name={toggle} />
          {toggle === "start" ? "Start" : "Stop"}
        </button>
        {!isStopped && (
          <button
            type="button"
            class="js"
            data-least="operator"
            aria-disabled={isBusy}
            onClick={() => run("restart")}
          >
            <Icon name="restart" />Restart
          </button>
        )}
        <a class="button js" data-least="operator" href={editLink(stream.id)}>
          <Icon name="edit" />Edit
        </a>
      </p>
      {isAsking && (
        <PlanDialog
          stream={stream}
          status={status}
          onChoose={(command, time) => run(command, false, time)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
