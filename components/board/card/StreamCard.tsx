import { figuresText } from "../../../lib/model/answers/figures.ts";
import type { PublicStream } from "../../../lib/model/schema.ts";
import { isAtRest } from "../../../lib/model/answers/status.ts";
import { serverNow } from "../../client/serverClock.ts";
import { useBoardContext } from "../BoardContext.ts";
import { duration, statusOf } from "../boardState.ts";
import { CardActions } from "./CardActions.tsx";
import { cardLinks } from "./cardLinks.ts";
import { CardPush } from "./CardFigures.tsx";
import {
  cardAttributes,
  CardDay,
  CardGrip,
  CardName,
  CardPage,
  CardPicture,
  CardState,
} from "./cardParts.tsx";
import { CardProblem, NoRoom } from "./CardProblem.tsx";

/** One stream: its picture, its state and its actions. The card's height never depends on the state. */
export function StreamCard({ stream }: { stream: PublicStream }) {
  const { board, figures, prefs, selection, isReady } = useBoardContext();
  const { id, name } = stream;
  const status = statusOf(stream, board.state.value.statuses);
  const links = cardLinks(id, prefs.of(id));
  const cost = Object.hasOwn(figures.value, id) ? figuresText(figures.value[id]) : "";
  const { noRoom } = status;
  const hasProblem = status.state === "failed" || status.state === "degraded";
  return (
    <li {...cardAttributes(status, selection.has(id))}>
      <div class="screen">
        <CardPicture stream={stream} status={status} links={links} />
        {isReady && status.thumbAt !== undefined && (
          <p class="age">
            {isAtRest(status.state) ? "last thumbnail, " : "thumbnail "}
            from {duration((serverNow() - status.thumbAt) / 1000)} ago
            {cost && <span>{cost}</span>}
          </p>
        )}
        {hasProblem && <CardProblem stream={stream} status={status} links={links} />}
        {noRoom && <NoRoom stream={stream} reason={noRoom} />}
        <CardGrip />
      </div>
      <div class="card-body">
        <CardName id={id} name={name} links={links} />
        <CardState stream={stream} status={status} />
        {stream.pushTo !== "" && <CardPush id={id} />}
        <CardPage stream={stream} />
        <CardDay stream={stream} links={links} />
        <CardActions stream={stream} status={status} links={links} />
      </div>
    </li>
  );
}
