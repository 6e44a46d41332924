import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useConfirm } from "./useConfirm.ts";

interface QuestionProps {
  id: string;
  /** The question itself. */
  title: string;
  /** The text of the question. */
  children: ComponentChildren;
  /** The button that keeps everything as it is. */
  keep: string;
  action: string;
  /** The words of the action's button while the action is under way. */
  acting?: string;
  /** The words before an error's message. */
  failed?: string;
  onConfirm: () => Promise<void> | void;
  /** Called when everything stays as it is. */
  onKeep: () => void;
}

/** A question inside an open dialog, where a second dialog would lie over the first. Escape keeps everything. */
export function Question(props: QuestionProps) {
  const { id, title, children, keep, action, acting, failed, onConfirm, onKeep } = props;
  const { isBusy, isActing, problem, confirm } = useConfirm(onConfirm, failed);
  const keepButton = useRef<HTMLButtonElement>(null);
  // at once: an earlier Escape would close the whole dialog
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    keepButton.current!.focus();
    return () => {
      // an element that was inert until now cannot take the focus yet
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
