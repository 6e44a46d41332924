import type { AccessToken } from "../../lib/streams/access.ts";
import type { PublicStream } from "../../lib/streams/schema.ts";
import { serverNow } from "../client/serverClock.ts";
import { expiryText, isOver, lastUseText, scopeText } from "./accessText.ts";

interface AccessListProps {
  tokens: readonly AccessToken[];
  streams: readonly PublicStream[];
  onRevoke: (token: AccessToken) => void;
}

/** Who has access: each app with what it may see, for how long, and whether it is used. */
export function AccessList({ tokens, streams, onRevoke }: AccessListProps) {
  const now = serverNow();
  if (tokens.length === 0) return <p class="access-none">No app has an address of its own yet.</p>;
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
          <button type="button" onClick={() => onRevoke(token)}>
            Revoke<span class="hidden">the access of {token.name}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
