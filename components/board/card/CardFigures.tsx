import { figuresText, VIEWER_SECONDS, viewersText } from "../../../lib/model/answers/figures.ts";
import { Icon } from "../../ui/Icon.tsx";
import { useBoardContext } from "../BoardContext.ts";

/** A stream's viewers and, where there is room, its use of the machine. */
export function CardFigures({ id }: { id: string }) {
  const own = useBoardContext().figures.value[id];
  if (!own) return null;
  const { viewers } = own;
  const who = `${viewersText(viewers)}: asked for the channel within ${VIEWER_SECONDS} s`;
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
