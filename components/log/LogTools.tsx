import { Icon } from "../ui/Icon.tsx";

interface LogToolsProps {
  /** "line" or "event" */
  noun: string;
  query: string;
  onQuery: (query: string) => void;
  /** "12 of 340 lines" */
  count: string;
  isFollowing: boolean;
  onFollow: (isWanted: boolean) => void;
  /** Absent: there is no file. */
  downloadUrl?: string;
}

/** The tools of a log. */
export function LogTools({ noun, query, onQuery, count, isFollowing, onFollow, downloadUrl }: LogToolsProps) {
  return (
    <div class="log-tools">
      <div class="log-search js">
        <label class="hidden" for="log-filter">{`Filter the ${noun}s`}</label>
        <input
          id="log-filter"
          type="search"
          placeholder={`Filter the ${noun}s`}
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={(event) => onQuery(event.currentTarget.value)}
        />
      </div>
      <p class="log-count">{count}</p>
      <button
        type="button"
        class="js"
        // a text: the server would leave a false out and write a true without its value
        aria-pressed={`${isFollowing}`}
        title={`Keeps the newest ${noun}s in sight`}
        onClick={() => onFollow(!isFollowing)}
      >
        Follow
      </button>
      {downloadUrl && (
        <a class="button" href={downloadUrl} download>
          <Icon name="download" />Download
        </a>
      )}
    </div>
  );
}
