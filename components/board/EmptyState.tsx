import { useEffect, useRef, useState } from "preact/hooks";
import type { PublicAddress } from "../playlist/playlistAddress.ts";
import { lazy } from "../ui/lazy.tsx";
import { useBoardContext } from "./BoardContext.ts";
import { isTelevision } from "./card/arrowStops.ts";

const FromElsewhere = lazy(async () => (await import("./FromElsewhere.tsx")).FromElsewhere);

interface EmptyStateProps {
  publicAddress: PublicAddress;
  onAdd: (address: string) => void;
}

/** The board without streams: explains the service, and takes the first page's address, or a pasted list of them. */
export function EmptyState({ publicAddress, onAdd }: EmptyStateProps) {
  const address = useRef<HTMLInputElement>(null);
  const { board, isReady } = useBoardContext();
  const [isTv, setTv] = useState(false);
  useEffect(() => {
    setTv(isTelevision());
    // whoever comes to an empty board can paste at once; the keyboard of a phone or a television would hide the page
    const isTyped = !isTelevision() && !matchMedia("(pointer: coarse)").matches;
    const isNew = !isReady && document.activeElement === document.body;
    if (isTyped && isNew) address.current!.focus({ preventScroll: true });
  }, []);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    onAdd(address.current!.value.trim());
  }

  /** Browsers would join the lines of a list into one line. */
  function paste(event: ClipboardEvent) {
    const text = event.clipboardData?.getData("text").trim() ?? "";
    if (!/\s/.test(text)) return;
    event.preventDefault();
    onAdd(text);
  }

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
      <form class="js first-page" data-least="operator" noValidate onSubmit={submit}>
        <label for="first-page">Page address</label>
        <input
          ref={address}
          id="first-page"
          type="text"
          inputMode="url"
          enterkeyhint="go"
          autocomplete="off"
          spellcheck={false}
          placeholder="https://grafana.example.org/d/overview"
          onPaste={paste}
        />
        <button type="submit" class="primary">Add the first page</button>
      </form>
      <div class="from-elsewhere">
        {isTv && <FromElsewhere {...publicAddress} onFail={(message) => board.problem.value = message} />}
      </div>
    </div>
  );
}
