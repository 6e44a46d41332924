import type { PublicAddress } from "../playlist/playlistAddress.ts";
import type { StreamFields } from "../../lib/model/schema.ts";
import { AddField } from "./AddField.tsx";
import { useBoardContext } from "./BoardContext.ts";
import { BoardView } from "./BoardView.tsx";
import { CardMenu } from "./card/CardMenu.tsx";
import { EmptyState, OtherDevice } from "./EmptyState.tsx";
import { MachineFooter } from "./MachineFooter.tsx";
import { Notices } from "./Notices.tsx";

interface BoardMainProps {
  publicAddress: PublicAddress;
  /** The settings of a new stream. */
  defaults: StreamFields;
}

/** The board's page below its header: the streams, and the notices about the service. */
export function BoardMain({ publicAddress, defaults }: BoardMainProps) {
  const { board, items, isLoginOn, isReady, menu } = useBoardContext();
  const isEmpty = items.length === 0;
  const withMenu = board.state.value.streams.find(({ id }) => id === menu);
  return (
    <main id="main" class="page" data-ready={isReady}>
      <noscript>
        <p class="no-script">
          JavaScript is off, so this list stands still: reload to bring it up to date. Adding, starting and
          stopping streams needs JavaScript; the links work without.
        </p>
      </noscript>
      <Notices />
      {isEmpty && <EmptyState />}
      <AddField key="add" isFirst={isEmpty} defaults={defaults} />
      {isEmpty ? <OtherDevice publicAddress={publicAddress} /> : <BoardView />}
      {!isLoginOn && (
        <p class="hint open-to-all">
          There is no login: everyone who can reach this address can use this page. To set one, add an admin
          under <a href="/people">People</a>.
        </p>
      )}
      <MachineFooter />
      {withMenu && <CardMenu key={withMenu.id} stream={withMenu} />}
    </main>
  );
}
