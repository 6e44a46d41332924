import { figuresText } from "../../../lib/model/answers/figures.ts";
import type { PublicStream } from "../../../lib/model/schema.ts";
import { isAtRest } from "../../../lib/model/answers/status.ts";
import { PickButton } from "../../select/PickButton.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { serverNow } from "../../client/serverClock.ts";
import { useBoardContext } from "../BoardContext.ts";
import { duration, statusOf } from "../boardState.ts";
import { CardActions } from "./CardActions.tsx";
import { cardLinks } from "./cardLinks.ts";
import { HeartbeatBar } from "./HeartbeatBar.tsx";
import { CardFigures, CardPush } from "./CardFigures.tsx";
import { CardProblem, NoRoom } from "./CardProblem.tsx";
import { lifeSign } from "./lifeSign.ts";
import { clockText } from "./returnText.ts";
import { StateChip } from "./StateChip.tsx";
import { Thumbnail } from "./Thumbnail.tsx";

/** One stream: its picture, its state and its actions. The card's height never depends on the state. */
export function StreamCard({ stream }: { stream: PublicStream }) {
  const { board, overview, figures, prefs, selection, isReady } = useBoardContext();
  const { id, name } = stream;
  const status = statusOf(stream, board.state.value.statuses);
  const links = cardLinks(id, prefs.of(id));
  const cost = Object.hasOwn(figures.value, id) ? figuresText(figures.value[id]) : "";
  const busy = board.busy.value.get(id);
  const { noRoom } = status;
  const hasProblem = status.state === "failed" || status.state === "degraded";
  return (
    <li
      class={noRoom ? `card is-${status.state} is-refused` : `card is-${status.state}`}
      id={`stream-${id}`}
      data-id={id}
      // not a class: a finger that drags also selects, and the classes of the drag would be lost
      data-selected={selection.has(id) ? "" : undefined}
      tabIndex={-1}
      aria-labelledby={`name-${id}`}
    >
      <div class="screen">
        <PickButton id={id} name={name} />
        <a class="thumbnail" href={links.play} tabIndex={-1} draggable={false} {...links.target}>
          <Thumbnail id={id} name={name} status={status} connection={board.connection.value} />
        </a>
        {isReady && status.thumbAt !== undefined && (
          <p class="age">
            {isAtRest(status.state) ? "last thumbnail, " : "thumbnail "}
            from {duration((serverNow() - status.thumbAt) / 1000)} ago
            {cost && <span>{cost}</span>}
          </p>
        )}
        {hasProblem && <CardProblem stream={stream} status={status} links={links} />}
        {noRoom && <NoRoom stream={stream} reason={noRoom} />}
        <span class="js grip" title="Drag to another position, or press Ctrl+Shift and an arrow key">
          <Icon name="grip" />
        </span>
      </div>
      <div class="card-body">
        <h2 id={`name-${id}`} title={name}>
          {/* the bar below leads there by keyboard */}
          <a href={links.stream} tabIndex={-1} draggable={false} {...links.target}>{name}</a>
        </h2>
        <p class="card-state">
          <StateChip state={status.state} />
          <span class="life">{lifeSign(status, busy)}</span>
          <CardFigures id={id} />
          {status.node && (
            <span class="node" title={`It runs on the node ${status.node}`}>on {status.node}</span>
          )}
          {stream.morePages !== "" && (
            <span class="turns">
              {stream.morePages.split("\n").length + 1} pages in turn
              {isReady && status.nextPage && <span>, next at {clockText(status.nextPage.at)}</span>}
            </span>
          )}
          {stream.autoReload && (
            <span class="reloads" title={`The page reloads every ${stream.autoReloadInterval} min`}>
              <Icon name="reload" />
              <span class="hidden">The page reloads every</span>
              {stream.autoReloadInterval} min
            </span>
          )}
        </p>
        {stream.pushTo !== "" && <CardPush id={id} />}
        <a class="card-page" href={stream.url} rel="noreferrer" target="_blank">{pageText(stream)}</a>
        <HeartbeatBar
          id={id}
          name={name}
          heartbeats={overview.value.heartbeats}
          href={links.stream}
          target={links.target}
        />
        <CardActions stream={stream} status={status} links={links} />
      </div>
    </li>
  );
}

/** "grafana.local/d/abc", and the number of pages that take turns with it. */
function pageText({ url, morePages }: PublicStream): string {
  return morePages === "" ? shortUrl(url) : `${shortUrl(url)} and ${morePages.split("\n").length} more`;
}

function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//i, "").replace(/\/$/, "");
}
