import { Icon, type IconName } from "../../ui/Icon.tsx";

interface RowButtonProps {
  icon: IconName;
  title: string;
  /** The words for screen readers. */
  label: string;
  onClick: () => void;
}

/** A small button at a row's end. */
export function RowButton({ icon, title, label, onClick }: RowButtonProps) {
  return (
    <button type="button" class="quiet square" title={title} aria-label={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
