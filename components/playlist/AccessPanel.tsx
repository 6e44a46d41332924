import { useRef, useState } from "preact/hooks";
import type { PublicStream } from "../../lib/model/schema.ts";
import type { NewAccessToken } from "../client/api.ts";
import { Icon } from "../ui/Icon.tsx";
import { AccessForm } from "./AccessForm.tsx";
import { AccessList } from "./AccessList.tsx";
import { CreatedAccess } from "./CreatedAccess.tsx";
import { useAccess } from "./useAccess.ts";
import type { AccessToken } from "../../lib/model/answers/shapes.ts";

interface AccessPanelProps {
  streams: readonly PublicStream[];
  /** The groups of the choice. */
  groups: string[];
}

/** The list of the access tokens, and a new token, whose address is shown once. */
export function AccessPanel({ streams, groups }: AccessPanelProps) {
  const access = useAccess();
  const [isAdding, setAdding] = useState(false);
  const [created, setCreated] = useState<NewAccessToken | null>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  /** The element that had the focus is gone after the next rendering. */
  const focusAdd = () => setTimeout(() => addButton.current?.focus());

  async function create(body: unknown) {
    setCreated(await access.create(body));
    setAdding(false);
  }

  function leaveForm() {
    setAdding(false);
    focusAdd();
  }

  async function revoke(token: AccessToken) {
    await access.revoke(token);
    if (created?.id === token.id) setCreated(null);
    focusAdd();
  }

  return (
    <>
      {access.problem && (
        <div class="access-problem">
          <p class="problem" role="alert">{access.problem}</p>
          <button type="button" class="small" onClick={access.load}>Try again</button>
        </div>
      )}
      {access.tokens && <AccessList tokens={access.tokens} streams={streams} onRevoke={revoke} />}
      {created && <CreatedAccess key={created.id} created={created} />}
      {isAdding
        ? <AccessForm streams={streams} groups={groups} onCreate={create} onCancel={leaveForm} />
        : (
          <button type="button" class="access-add" ref={addButton} onClick={() => setAdding(true)}>
            <Icon name="add" />
            New address for an app
          </button>
        )}
    </>
  );
}
