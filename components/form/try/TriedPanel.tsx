import type { TriedPage } from "../../../lib/model/answers/shapes.ts";

interface TriedPanelProps {
  tried: TriedPage;
  /** The form's present name. */
  name: unknown;
  onName: (name: string) => void;
}

const LOGIN_WORDS = {
  form: "It asks for a login in a form.",
  http: "It asks for a login by HTTP.",
};

/** The result of a tried page. */
export function TriedPanel({ tried, name, onName }: TriedPanelProps) {
  const { url, title, status, problem, media, login, picture, leftOut } = tried;
  return (
    <div class="tried">
      {picture && (
        <img
          src={`data:image/jpeg;base64,${picture}`}
          alt={`What ${url} looks like`}
          width={640}
          height={360}
        />
      )}
      <div role="status">
        {title && <strong class="wrap">{title}</strong>}
        {title && title !== name && (
          <button type="button" class="small" onClick={() => onName(title)}>
            Use as name
          </button>
        )}
        {problem ? <p class="problem">{problem}</p> : <p>The page opens{status ? ` (${status})` : ""}.</p>}
        {media && <p>The address is {media}.</p>}
        {login && (
          <p>
            {LOGIN_WORDS[login]} Set user name and password under “Sign-in”.
          </p>
        )}
        {leftOut.map((reason) => <p key={reason}>Not used here: {reason}</p>)}
      </div>
    </div>
  );
}
