import { useEffect, useState } from "preact/hooks";
import type { PublicAddress } from "../playlist/playlistAddress.ts";
import { lazy } from "../ui/lazy.tsx";
import { useBoardContext } from "./BoardContext.ts";
import { isTelevision } from "./card/arrowStops.ts";

const FromElsewhere = lazy(async () => (await import("./FromElsewhere.tsx")).FromElsewhere);

/** Explains the service on a board without streams, above the field for the first page's address. */
export function EmptyState() {
  return (
    <div class="empty">
      <svg class="empty-art" viewBox="0 0 160 96" aria-hidden="true" focusable="false">
        <rect x="1.5" y="1.5" width="157" height="93" rx="9" />
        <path d="M1.5 20h157M12 11h.1M20 11h.1M28 11h.1M40 11h104" />
        <path class="lit" d="M68 40v34l28-17z" />
      </svg>
      <h1>Turn a web page into a channel</h1>
      <p>
        Enter the address of a dashboard, a departure board or a camera page. It plays live on every screen
        that can play video.
      </p>
    </div>
  );
}

/** Below that field: on a television, how another device gets here. */
export function OtherDevice({ publicAddress }: { publicAddress: PublicAddress }) {
  const { board } = useBoardContext();
  const [isTv, setTv] = useState(false);
  useEffect(() => setTv(isTelevision()), []);
  return (
    <div class="from-elsewhere">
      {isTv && <FromElsewhere {...publicAddress} onFail={(message) => board.problem.value = message} />}
    </div>
  );
}
