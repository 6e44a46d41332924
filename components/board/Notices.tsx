import { Icon } from "../ui/Icon.tsx";
import { useBoardContext } from "./BoardContext.ts";

/** The problems of the service's machine, and their remedies. */
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
