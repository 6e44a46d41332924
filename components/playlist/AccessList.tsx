import { useState } from "preact/hooks";
import type { PublicStream } from "../../lib/model/schema.ts";
import { serverNow } from "../client/serverClock.ts";
import { Question } from "../ui/Question.tsx";
import { expiryText, isOver, lastUseText, scopeText } from "./accessText.ts";
import type { AccessToken } from "../../lib/model/answers/shapes.ts";

interface AccessListProps {
  tokens: readonly AccessToken[];
  streams: readonly PublicStream[];
  /** @throws {Error} why the token was not revoked. */
  onRevoke: (token: AccessToken) => Promise<void>;
}

/** The apps that have access: each with its streams, its end and its last use. */
export function AccessList({ tokens, streams, onRevoke }: AccessListProps) {
  const [revoking, setRevoking] = useState<string | null>(null);
  const now = serverNow();
  if (tokens.length === 0) return <p class="access-none">No app has its own address yet.</p>;
  return (
    <ul class="access-list">
      {tokens.map((token) => (
        <li key={token.id}>
          <div>
            <strong class="wrap">{token.name}</strong>
            <p class="hint wrap">
              {scopeText(token, streams)} ·{" "}
              <span class={isOver(token, now) ? "is-over" : ""}>
                {expiryText(token, now)}
              </span>{" "}
              · {lastUseText(token, now)}
            </p>
          </div>
          <button
            type="button"
            aria-disabled={revoking === token.id}
            onClick={() => setRevoking(token.id)}
          >
            Revoke<span class="hidden">the access of {token.name}</span>
          </button>
          {revoking === token.id && (
            <Question
              id="revoke"
              title="Revoke this access?"
              keep="Keep it"
              action="Revoke"
              acting="Revoking…"
              failed="It was not revoked."
              onConfirm={() => onRevoke(token)}
              onKeep={() => setRevoking(null)}
            >
              <strong class="wrap">{token.name}</strong>{" "}
              loses the picture at once. Its address never works again. To allow it later, make a new address.
            </Question>
          )}
        </li>
      ))}
    </ul>
  );
}
