import type { PublicStream } from "../../../lib/model/schema.ts";
import { useBoardContext } from "../BoardContext.ts";
import type { BoardItem } from "../boardItems.ts";
import { statusOf } from "../boardState.ts";
import { CardActions } from "../card/CardActions.tsx";
import { cardLinks } from "../card/cardLinks.ts";
import {
  cardAttributes,
  CardDay,
  CardGrip,
  CardName,
  CardPage,
  CardPicture,
  CardState,
} from "../card/cardParts.tsx";
import { CardProblem, NoRoom } from "../card/CardProblem.tsx";
import { StateChip } from "../card/StateChip.tsx";

/** A stream as a row of the table: the content of its card, without the picture's size. */
export function StreamRow(
  { stream, item }: { stream: PublicStream | null; item: Omit<BoardItem, "stream"> },
) {
  return stream ? <KnownRow stream={stream} /> : <PendingRow item={item} />;
}

function KnownRow({ stream }: { stream: PublicStream }) {
  const { board, prefs, selection, filter } = useBoardContext();
  const { id, name, group } = stream;
  const status = statusOf(stream, board.state.value.statuses);
  const links = cardLinks(id, prefs.of(id));
  const { noRoom, state } = status;
  return (
    <tr role="row" {...cardAttributes(status, selection.has(id))}>
      <td role="cell" class="screen">
        <CardPicture stream={stream} status={status} links={links} />
      </td>
      <th scope="row" role="rowheader">
        <CardName id={id} name={name} links={links} />
      </th>
      <td role="cell">
        <span class="row-group" title={group}>{group}</span>
      </td>
      <td role="cell">
        <CardState stream={stream} status={status} />
      </td>
      <td role="cell">
        {noRoom
          ? <NoRoom stream={stream} reason={noRoom} />
          : state === "failed" || state === "degraded"
          ? <CardProblem stream={stream} status={status} links={links} />
          : <CardPage stream={stream} />}
      </td>
      <td role="cell">
        <CardDay stream={stream} links={links} />
      </td>
      <td role="cell">
        <CardActions stream={stream} status={status} links={links} />
        {!filter.current.sort && <CardGrip />}
      </td>
    </tr>
  );
}

/** A row until the list is there. */
function PendingRow({ item: { id, name, state } }: { item: Omit<BoardItem, "stream"> }) {
  return (
    <tr role="row" class={`card is-${state} is-pending`} id={`stream-${id}`}>
      <th scope="row" role="rowheader">
        <h2>{name}</h2>
      </th>
      <td role="cell">
        <p class="card-state">
          <StateChip state={state} />
        </p>
      </td>
    </tr>
  );
}
