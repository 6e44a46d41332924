import { Icon } from "../ui/Icon.tsx";

/** What fingers can do with a picture that is too small to read; where it is shown, the style sheet says. */
export function TouchHint({ isWide, isIdle }: { isWide: boolean; isIdle: boolean }) {
  return (
    <p class="vnc-hint" data-idle={isIdle}>
      <Icon name="turn" />
      <span>
        {isWide && (
          <>
            Turn the phone for a larger picture.<br />
          </>
        )}
        Two fingers enlarge and move it.
      </span>
    </p>
  );
}
