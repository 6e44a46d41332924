import { cutAtMatches } from "./logBuffer.ts";

/** A line and its number in the log. */
interface NumberedLine {
  number: number;
  text: string;
}

/** Lines of a log, with the matches of the search marked. */
export function LogLines({ lines, query }: { lines: NumberedLine[]; query: string }) {
  return (
    <pre>
      {lines.map(({ number, text }) => (
        <span key={number} class="log-line">
          {query === "" ? text : cutAtMatches(text, query).map((piece, at) =>
            at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece
          )}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
