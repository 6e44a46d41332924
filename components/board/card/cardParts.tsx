/** The parts that a card and a row of the table share. */
import type { PublicStream } from "../../../lib/model/schema.ts";
import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";
import { PickButton } from "../../select/PickButton.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { useBoardContext } from "../BoardContext.ts";
import type { CardLinks } from "./cardLinks.ts";
import { CardFigures } from "./CardFigures.tsx";
import { HeartbeatBar } from "./HeartbeatBar.tsx";
import { lifeSign } from "./lifeSign.ts";
import { clockText } from "./returnText.ts";
import { StateChip } from "./StateChip.tsx";
import { Thumbnail } from "./Thumbnail.tsx";

/** The attributes of the element of a stream on the board. */
export function cardAttributes({ id, state, noRoom }: StreamStatus, isSelected: boolean) {
  return {
    class: noRoom ? `card is-${state} is-refused` : `card is-${state}`,
    id: `stream-${id}`,
    "data-id": id,
    // not a class: a finger that drags also selects, and the classes of the drag would be lost
    "data-selected": isSelected ? "" : undefined,
    tabIndex: -1,
    "aria-labelledby": `name-${id}`,
  };
}

interface CardPartProps {
  stream: PublicStream;
  status: StreamStatus;
  links: CardLinks;
}

/** A stream's picture, which plays it, under the box that selects it. */
export function CardPicture({ stream: { id, name }, status, links }: CardPartProps) {
  const { board } = useBoardContext();
  return (
    <>
      <PickButton id={id} name={name} />
      <a class="thumbnail" href={links.play} tabIndex={-1} draggable={false} {...links.target}>
        <Thumbnail
          id={id}
          name={name}
          status={status}
          isExpected={board.busy.value.has(id)}
          connection={board.connection.value}
        />
      </a>
    </>
  );
}

/** A stream's last 24 hours, which lead to its page. */
export function CardDay({ stream, links }: Omit<CardPartProps, "status">) {
  const { heartbeats } = useBoardContext().overview.value;
  return <HeartbeatBar stream={stream} heartbeats={heartbeats} href={links.stream} target={links.target} />;
}

/** A stream's name, which leads to its page. */
export function CardName({ id, name, links }: { id: string; name: string; links: CardLinks }) {
  return (
    <h2 id={`name-${id}`} title={name}>
      {/* the bar below leads there by keyboard */}
      <a href={links.stream} tabIndex={-1} draggable={false} {...links.target}>{name}</a>
    </h2>
  );
}

/** A stream's state, with its times and figures. */
export function CardState({ stream, status }: { stream: PublicStream; status: StreamStatus }) {
  const { board, isReady } = useBoardContext();
  const { id, morePages, autoReload, autoReloadInterval } = stream;
  return (
    <p class="card-state">
      <StateChip state={status.state} />
      <span class="life">{lifeSign(status, board.busy.value.get(id))}</span>
      <CardFigures id={id} />
      {status.node && <span class="node" title={`It runs on the node ${status.node}`}>on {status.node}</span>}
      {morePages !== "" && (
        <span class="turns">
          {morePages.split("\n").length + 1} pages in turn
          {isReady && status.nextPage && <span>, next at {clockText(status.nextPage.at)}</span>}
        </span>
      )}
      {autoReload && (
        <span class="reloads" title={`The page reloads every ${autoReloadInterval} min`}>
          <Icon name="reload" />
          <span class="hidden">The page reloads every</span>
          {autoReloadInterval} min
        </span>
      )}
    </p>
  );
}

/** The page that a stream shows: "grafana.local/d/abc", and the number of pages that take turns with it. */
export function CardPage({ stream: { url, morePages } }: { stream: PublicStream }) {
  const short = url.replace(/^https?:\/\//i, "").replace(/\/$/, "");
  return (
    <a class="card-page" href={url} rel="noreferrer" target="_blank">
      {morePages === "" ? short : `${short} and ${morePages.split("\n").length} more`}
    </a>
  );
}

/** Where a card or row is dragged. It does nothing without the script, so the first paint need not wait for it. */
export function CardGrip() {
  if (!useBoardContext().isReady) return null;
  return (
    <span
      class="grip"
      data-least="operator"
      title="Drag to another position, or press Ctrl+Shift and an arrow key"
    >
      <Icon name="grip" />
    </span>
  );
}
