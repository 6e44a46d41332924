import type { PublicAddress } from "../playlist/playlistAddress.ts";
import { useBoardContext } from "./BoardContext.ts";
import { BoardView } from "./BoardView.tsx";
import { CardMenu } from "./card/CardMenu.tsx";
import { EmptyState } from "./EmptyState.tsx";
import { MachineFooter } from "./MachineFooter.tsx";
import { Notices } from "./Notices.tsx";

/** The board's page below its header: the streams, and the notices about the service. */
export function BoardMain({ publicAddress }: { publicAddress: PublicAddress }) {
  const { board, items, isLoginOn, isReady, menu, openDialog } = useBoardContext();
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
      {items.length === 0
        ? (
          <EmptyState
            publicAddress={publicAddress}
            onAdd={(address) => openDialog({ kind: "add", address })}
          />
        )
        : <BoardView />}
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
