import { type Speed, SPEEDS } from "../../../lib/model/past.ts";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, problemOf } from "../../client/api.ts";
import { Segments } from "../../ui/Segments.tsx";
import { clockText, zoneText } from "../moment.ts";
import type { Range } from "../past.ts";
import { windowFor, type Zoom, ZOOM_NAMES, ZOOMS } from "../windows.ts";
import type { ShownPast } from "./shownPast.ts";
import { filmLengthText, lengthText, rangeText } from "./exportText.ts";
import { type FilmPlan, keptPart, rangeProblem, USUAL_SPEEDS } from "./filmPlan.ts";
import { localText, momentsOf } from "./localTime.ts";
import { MomentField, type TypedMoment } from "./MomentField.tsx";
import { useFilmPlan } from "./useFilmPlan.ts";

const lengthOf = ({ start, end }: Range) => end - start;

const typed = (at: number): TypedMoment => ({ text: localText(at), at });
type Problems = Partial<Record<"start" | "end" | "speed" | "form", string>>;

interface ExportFormProps {
  id: string;
  past: ShownPast;
  /** @throws {ApiError} why there will be no film. */
  onMake: (range: Range, speed: Speed) => Promise<void>;
}

/** Of what time a film is to be made, and how fast it is. It begins with what the bar shows. */
export function ExportForm({ id, past, onMake }: ExportFormProps) {
  const [first] = useState(() => keptPart(past.window.value, past.kept.value));
  const [chosen, setChosen] = useState<Zoom | null>(past.zoom.value);
  const [start, setStart] = useState(() => typed(first.start));
  const [end, setEnd] = useState(() => typed(first.end));
  const [speed, setSpeed] = useState<Speed>(USUAL_SPEEDS[past.zoom.value]);
  const [isSpeedOwn, setSpeedOwn] = useState(false);
  const [problems, setProblems] = useState<Problems>({});
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current!.querySelector<HTMLElement>("input[aria-invalid]")?.focus(), [problems]);

  const range = start.at === null || end.at === null ? null : { start: start.at, end: end.at };
  const plan = useFilmPlan(id, range, past.now.value);

  function choose(zoom: Zoom) {
    const { moment, now, kept } = past;
    const part = keptPart(windowFor(zoom, moment.value, now.value), kept.value);
    setChosen(zoom);
    setStart(typed(part.start));
    setEnd(typed(part.end));
    if (!isSpeedOwn) setSpeed(USUAL_SPEEDS[zoom]);
    setProblems({});
  }

  function change(field: "start" | "end", value: TypedMoment) {
    (field === "start" ? setStart : setEnd)(value);
    setChosen(null);
    if (Object.keys(problems).length > 0) setProblems({});
  }

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    if (isBusy) return;
    const wrong = fieldProblems(start, end);
    if (!range || Object.keys(wrong).length > 0) return setProblems(wrong);
    setBusy(true);
    setProblems({});
    try {
      await onMake(range, speed);
    } catch (error) {
      const fields = error instanceof ApiError ? error.fields : {};
      setProblems(Object.keys(fields).length > 0 ? fields : { form: problemOf(error) });
    } finally {
      setBusy(false);
    }
  }

  return (
    <form ref={form} class="export-form" noValidate onSubmit={submit}>
      <Segments<string>
        name="export-time"
        label="Time"
        options={Object.fromEntries(ZOOM_NAMES.map((zoom) => [zoom, ZOOMS[zoom].word]))}
        value={chosen ?? ""}
        onChange={(zoom) => choose(zoom as Zoom)}
      />
      <div class="pair">
        <MomentField
          name="start"
          label="From"
          value={start}
          problem={problems.start}
          onChange={(value) => change("start", value)}
        />
        <MomentField
          name="end"
          label="To"
          value={end}
          problem={problems.end}
          onChange={(value) => change("end", value)}
        />
      </div>
      <Segments<string>
        name="export-speed"
        label="Speed"
        options={Object.fromEntries(SPEEDS.map((speed) => [`${speed}`, `${speed}×`]))}
        value={`${speed}`}
        onChange={(speed) => {
          setSpeed(Number(speed) as Speed);
          setSpeedOwn(true);
        }}
      />
      <div class="export-make">
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {isBusy ? "Asking…" : "Make film"}
        </button>
        <p class="problem" role="alert">{problems.form ?? problems.speed}</p>
      </div>
      <div class="export-plan" role="status">
        {/* what is said at a field is not said twice */}
        {!problems.start && !problems.end && (
          <Planned start={start} end={end} range={range} plan={plan} speed={speed} />
        )}
      </div>
    </form>
  );
}

/** What is wrong with the times, before anybody is asked. */
function fieldProblems(start: TypedMoment, end: TypedMoment): Problems {
  const problems: Problems = {};
  if (start.at === null) problems.start = noMoment(start);
  if (end.at === null) problems.end = noMoment(end);
  const wrong = start.at === null || end.at === null ? null : rangeProblem({ start: start.at, end: end.at });
  return wrong ? { [wrong.field]: wrong.says } : problems;
}

const noMoment = ({ text }: TypedMoment) =>
  momentsOf(text) === null
    ? "Enter a date and a time."
    : "The clock was put forward over this time: choose another one.";

interface PlannedProps {
  start: TypedMoment;
  end: TypedMoment;
  range: Range | null;
  plan: FilmPlan | null;
  speed: Speed;
}

/** How long the time and its film are, and what is left out of it. */
function Planned({ start, end, range, plan, speed }: PlannedProps) {
  const [wrong] = Object.values(fieldProblems(start, end));
  if (!range || wrong) return <p>{wrong}</p>;
  const length = lengthOf(range);
  const said = <p class="hint">{rangeText(range)} {zoneText(range.end)}</p>;
  if (!plan) {
    return (
      <>
        {said}
        <p>{lengthText(length)}.</p>
      </>
    );
  }
  const { seconds, leftOut } = plan;
  const kept = seconds === 0
    ? "Nothing of it is kept."
    : `At ${speed}×, the film is ${filmLengthText(seconds / speed)} long.`;
  const [longest] = [...leftOut].sort((one, other) => lengthOf(other) - lengthOf(one));
  const isSpread = clockDay(range.start) !== clockDay(range.end);
  const time = (at: number) => isSpread ? `${clockDay(at)} ${clockText(at)}` : clockText(at);
  return (
    <>
      {said}
      <p>
        {lengthText(length)}
        {seconds > 0 && seconds < length && `, of which ${keptText(seconds)}`}. <strong>{kept}</strong>
      </p>
      {longest && (
        <p class="hint">
          Left out: {time(longest.start)} to {time(longest.end)}. {longest.says}
          {leftOut.length > 1 && ` And ${restText(leftOut.filter((one) => one !== longest))}.`}
        </p>
      )}
    </>
  );
}

/** "1 minute is kept" */
function keptText(seconds: number): string {
  const text = lengthText(seconds);
  return `${text} ${/^1 \w+$/.test(text) ? "is" : "are"} kept`;
}

/** "Monday" */
const clockDay = (at: number) => new Date(at * 1000).toLocaleDateString("en-GB", { weekday: "long" });

function restText(rest: readonly Range[]): string {
  const seconds = rest.reduce((sum, one) => sum + lengthOf(one), 0);
  return `${rest.length} more, ${lengthText(seconds)} in all`;
}
