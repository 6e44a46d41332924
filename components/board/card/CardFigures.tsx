import { figuresText, pushText, VIEWER_SECONDS, viewersText } from "../../../lib/model/answers/figures.ts";
import { Icon } from "../../ui/Icon.tsx";
import { useBoardContext } from "../BoardContext.ts";

/** A stream's viewers and, where there is room, its use of the machine. */
export function CardFigures({ id }: { id: string }) {
  const own = useBoardContext().figures.value[id];
  if (!own) return null;
  const { viewers } = own;
  const who = `${viewersText(viewers)}: players that asked for the channel in the last ${VIEWER_SECONDS} s`;
  return (
    <>
      {viewers > 0 && (
        <span class="viewers" title={who}>
          <Icon name="eye" />
          {viewers}
          <span class="hidden">{viewers === 1 ? "viewer" : "viewers"}</span>
        </span>
      )}
      <span class="cost">{figuresText(own)}</span>
    </>
  );
}

/** How the push to another server goes: on a line of its own, which is there before anything is known. */
export function CardPush({ id }: { id: string }) {
  const push = useBoardContext().figures.value[id]?.push ?? null;
  return (
    <p class={push?.problem ? "card-push is-failed" : "card-push"} title={push?.problem}>
      {pushText(push) || "Push: off"}
    </p>
  );
}
