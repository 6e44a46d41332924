import { Icon } from "../ui/Icon.tsx";

/** The gestures for a picture that is too small to read; the style sheet decides where the hint is shown. */
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
