import { type CostFields, estimateOf, forecastText, type Sample } from "../../lib/model/capacity.ts";
import { storedSize } from "../../lib/model/picture_size.ts";
import { useBoardContext } from "../board/BoardContext.ts";

interface CostForecastProps {
  /** Null: the settings cannot be read. */
  fields: CostFields | null;
  /** Whether the stream starts as soon as it is saved. */
  isToStart: boolean;
}

/** The load of a stream with these settings on this machine, and whether the machine has room for it now. */
export function CostForecast({ fields, isToStart }: CostForecastProps) {
  const { board, figures, system } = useBoardContext();
  const { streams, statuses } = board.state.value;
  const running = streams.flatMap((stream): Sample[] =>
    statuses[stream.id]?.state === "running" && Object.hasOwn(figures.value, stream.id)
      ? [{ fields: stream, cost: figures.value[stream.id] }]
      : []
  );
  const { noRoom } = system.value;
  return (
    <>
      <p class="hint forecast">{fields && forecastText(estimateOf(fields, running))}</p>
      <p class="no-room" role="status">
        {isToStart && noRoom !== null && `No room now: ${noRoom}. The stream waits until there is room.`}
      </p>
    </>
  );
}

/** The typed settings that decide the cost; null: a setting is invalid. */
export function costFieldsOf(valueOf: (field: keyof CostFields) => unknown): CostFields | null {
  const [resolution, scale] = [
    storedSize(String(valueOf("resolution")).trim()),
    storedSize(String(valueOf("scale")).trim()),
  ];
  const fps = Number(valueOf("fps"));
  if (![resolution, scale].every((size) => /^\d{2,4}x\d{2,4}$/.test(size)) || !(fps >= 1 && fps <= 60)) {
    return null;
  }
  return { resolution, scale, fps, preset: valueOf("preset") as CostFields["preset"] };
}
