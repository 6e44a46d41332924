import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PublicStream } from "../../lib/model/schema.ts";
import { serverNow } from "../client/serverClock.ts";
import { useSubmit } from "../client/useSubmit.ts";
import { Field, SelectField } from "../ui/Field.tsx";
import { Segments } from "../ui/Segments.tsx";

interface AccessFormProps {
  streams: readonly PublicStream[];
  groups: string[];
  /** @throws {ApiError} with the problems of its fields. */
  onCreate: (body: unknown) => Promise<void>;
  onCancel: () => void;
}

type Scope = "all" | "group" | "streams";

/** Days until the token's end; null: it has no end. */
const LIFETIMES: Record<string, number | null> = {
  "Until it is revoked": null,
  "A day": 1,
  "A week": 7,
  "30 days": 30,
  "A year": 365,
};
const DAY_MS = 86_400_000;

/** The settings of a new access token. */
export function AccessForm({ streams, groups, onCreate, onCancel }: AccessFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [scope, setScope] = useState<Scope>("all");
  const { isBusy, problem, problems, submit } = useSubmit(form, async () => {
    const values = new FormData(form.current!);
    const days = LIFETIMES[String(values.get("lifetime"))];
    await onCreate({
      name: values.get("name"),
      expiresAt: days === null ? null : serverNow() + days * DAY_MS,
      ...(scope === "group" ? { group: values.get("group") } : {}),
      ...(scope === "streams" ? { streams: values.getAll("streams") } : {}),
    });
  });
  useLayoutEffect(() => form.current!.querySelector("input")!.focus(), []);

  const scopes: Partial<Record<Scope, string>> = {
    all: "All streams",
    ...(groups.length > 0 ? { group: "One group" } : {}),
    ...(streams.length > 0 ? { streams: "Some streams" } : {}),
  };
  return (
    <form
      class="access-form"
      ref={form}
      noValidate
      aria-label="New address for an app"
      aria-busy={isBusy}
      onSubmit={submit}
    >
      <div class="pair">
        <Field
          form="access"
          name="name"
          label="For which app or device?"
          placeholder="Living room TV"
          maxLength={60}
          autocomplete="off"
          problem={problems.name}
        />
        <SelectField
          form="access"
          name="lifetime"
          label="For how long?"
          options={Object.keys(LIFETIMES)}
          initial={Object.keys(LIFETIMES)[0]}
          problem={problems.expiresAt}
        />
      </div>
      <Segments
        name="access-scope"
        label="What may it play?"
        options={scopes as Record<Scope, string>}
        value={scope}
        onChange={setScope}
      />
      {scope === "group" && (
        <SelectField
          form="access"
          name="group"
          label="Group"
          options={groups}
          initial={groups[0]}
          hint="It includes streams that join the group later."
          problem={problems.group}
        />
      )}
      {scope === "streams" && (
        <fieldset class="access-streams" aria-describedby="access-streams-problem">
          <legend>Streams</legend>
          <p class="problem" id="access-streams-problem" role="alert">{problems.streams}</p>
          <div>
            {streams.map(({ id, name }) => (
              <div class="check" key={id}>
                <label>
                  <input type="checkbox" name="streams" value={id} />
                  <span class="wrap">{name}</span>
                </label>
              </div>
            ))}
          </div>
        </fieldset>
      )}
      <p class="problem" role="alert">{problem}</p>
      <div class="access-actions">
        <button type="button" onClick={onCancel}>Cancel</button>
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {isBusy ? "Creating…" : "Create address"}
        </button>
      </div>
    </form>
  );
}
