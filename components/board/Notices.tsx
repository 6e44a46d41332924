import { Icon } from "../ui/Icon.tsx";
import { useBoardContext } from "./BoardContext.ts";

/** What is wrong with the service's machine, and what to do about it. */
export function Notices() {
  const { overview } = useBoardContext();
  return (
    <div role="status">
      {overview.value.problems.map((problem) => (
        <p key={problem} class="notice">
          <Icon name="warning" />
          <span>{problem}</span>
        </p>
      ))}
    </div>
  );
}
