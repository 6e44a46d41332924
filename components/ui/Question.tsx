import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useConfirm } from "./useConfirm.ts";

interface QuestionProps {
  id: string;
  /** The question. */
  title: string;
  /** What happens. */
  children: ComponentChildren;
  /** The button that keeps everything as it is. */
  keep: string;
  action: string;
  /** The action's button while it is under way. */
  acting?: string;
  /** Before the message of an error. */
  failed?: string;
  onConfirm: () => Promise<void> | void;
  /** It is kept. */
  onKeep: () => void;
}

/** A question inside an open dialog, where a second dialog would lie over the first. Escape keeps everything. */
export function Question(props: QuestionProps) {
  const { id, title, children, keep, action, acting, failed, onConfirm, onKeep } = props;
  const { isBusy, isActing, problem, confirm } = useConfirm(onConfirm, failed);
  const keepButton = useRef<HTMLButtonElement>(null);
  // at once: an Escape that comes before would close the whole dialog
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    keepButton.current!.focus();
    return () => {
      // what was inert until now cannot take the focus yet
      setTimeout(() => (document.activeElement ?? document.body) === document.body && before?.focus());
    };
  }, []);

  function keyDown(event: KeyboardEvent) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (!isActing.current) onKeep();
  }

  return (
    <div
      class="question"
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onKeyDown={keyDown}
    >
      <div>
        <h3 id={`${id}-title`}>{title}</h3>
        <p id={`${id}-text`}>{children}</p>
        {problem && <p class="problem" role="alert">{problem}</p>}
      </div>
      <div class="question-actions">
        <button type="button" ref={keepButton} aria-disabled={isBusy} onClick={() => isBusy || onKeep()}>
          {keep}
        </button>
        <button type="button" class="danger" aria-disabled={isBusy} onClick={() => confirm(() => {})}>
          {isBusy && acting || action}
        </button>
      </div>
    </div>
  );
}
